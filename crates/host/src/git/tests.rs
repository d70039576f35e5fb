//! Real repositories in temporary folders; where there is no git, only what needs none is tested.

use super::*;

const LONG: Duration = Duration::from_secs(30);

fn has_git() -> bool {
    Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok()
}

fn git(root: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "commit.gpgsign=false",
    ]);
    let output = command.args(args).env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit, below a temporary folder.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().canonicalize().unwrap().join("repo");
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "-q", "-b", "main"]);
    fs::write(root.join("file"), "one\n").unwrap();
    git(&root, &["add", "file"]);
    git(&root, &["commit", "-qm", "one"]);
    (base, root)
}

fn standing(root: &Path) -> Status {
    status(&find(root).unwrap(), LONG).unwrap()
}

#[test]
fn headers_and_entries() {
    let output =
        b"# branch.oid abc\0# branch.head feature/x\0# branch.upstream origin/x\0# branch.ab +2 -13\0\
                   2 R. N... 100644 100644 100644 a b R100 new\0? old\0! ignored\0";
    let status = parse_status(output);
    assert_eq!(status.branch.as_deref(), Some("feature/x"));
    assert_eq!((status.ahead, status.behind), (Some(2), Some(13)));
    assert!(status.changed && !status.untracked, "the rename's former name is no untracked file");
    let detached = parse_status(b"# branch.oid abc\0# branch.head (detached)\0u UU\0");
    assert_eq!((detached.branch, detached.detached.as_deref()), (None, Some("abc")));
    assert!(detached.changed);
    assert_eq!(parse_status(b"# branch.ab nonsense\0\xff\0"), Status::default());
}

#[test]
fn a_folder_without_a_repository() {
    let base = tempfile::tempdir().unwrap();
    assert_eq!(at(base.path()), None);
    fs::write(base.path().join(".git"), "no pointer").unwrap();
    assert_eq!(at(base.path()), None);
    fs::write(base.path().join(".git"), "gitdir: nowhere").unwrap();
    assert_eq!(at(base.path()), None);
}

#[test]
fn a_checkouts_life() {
    if !has_git() {
        return;
    }
    let (base, root) = repository();
    let deep = root.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    let found = find(&deep).unwrap();
    let git_dir = root.join(".git");
    assert_eq!(
        found,
        Repository { root: root.clone(), git_dir: git_dir.clone(), common_dir: git_dir.clone() }
    );
    assert_eq!(branch(&found).as_deref(), Some("main"));

    let clean = Status { branch: Some("main".to_owned()), ..Status::default() };
    assert_eq!(standing(&root), clean);
    fs::write(root.join("new"), "x").unwrap();
    assert_eq!(standing(&root), Status { untracked: true, ..clean.clone() });
    fs::write(root.join("file"), "two\n").unwrap();
    assert_eq!(standing(&root), Status { untracked: true, changed: true, ..clean.clone() });
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "two"]);

    let copy = base.path().join("copy");
    git(&root, &["clone", "-q", root.to_str().unwrap(), copy.to_str().unwrap()]);
    git(&copy, &["commit", "-q", "--allow-empty", "-m", "three"]);
    let ahead = standing(&copy);
    assert_eq!((ahead.ahead, ahead.behind), (Some(1), Some(0)));

    let tree = root.parent().unwrap().join("tree");
    git(&root, &["worktree", "add", "-q", "-b", "side/x", tree.to_str().unwrap()]);
    let found = find(&tree).unwrap();
    assert_eq!(found.common_dir, git_dir);
    assert_eq!(found.git_dir, git_dir.join("worktrees/tree"));
    assert_eq!(branch(&found).as_deref(), Some("side/x"));
    git(&tree, &["checkout", "-q", "--detach"]);
    let detached = standing(&tree);
    assert!(detached.branch.is_none() && detached.detached.unwrap().len() == 40);
}

#[test]
fn what_a_repository_configures_does_not_run() {
    if !has_git() {
        return;
    }
    let (base, root) = repository();
    let trap = base.path().join("trap");
    let sprung = base.path().join("sprung");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", sprung.display())).unwrap();
    fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "pre-auto-gc"] {
        fs::copy(&trap, root.join(".git/hooks").join(hook)).unwrap();
    }
    for setting in
        ["core.fsmonitor", "core.pager", "core.editor", "core.askPass", "diff.external", "core.sshCommand"]
    {
        git(&root, &["config", setting, trap.to_str().unwrap()]);
    }
    let index = root.join(".git/index");
    let before = fs::read(&index).unwrap();
    fs::write(root.join("file"), "one\n").unwrap();
    fs::write(root.join("new"), "x").unwrap();
    let _ = fs::remove_file(&sprung);
    let found = standing(&root);
    assert!(found.untracked && !found.changed);
    assert!(!sprung.exists());
    assert_eq!(fs::read(&index).unwrap(), before, "nothing was written");
}

#[test]
fn git_is_not_waited_for_without_end() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 1000 & echo $!; wait"]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let error = output(command, Path::new("/x"), Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, GitError::Late { .. }));
    let mut command = Command::new("sh");
    command.args(["-c", "yes"]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    assert_eq!(output(command, Path::new("/x"), LONG).unwrap().len(), MOST_OUTPUT);
}

#[test]
fn a_refusal_is_said() {
    if !has_git() {
        return;
    }
    let (_base, root) = repository();
    let repository = find(&root).unwrap();
    fs::remove_dir_all(root.join(".git/objects")).unwrap();
    let error = status(&repository, LONG).unwrap_err().to_string();
    assert!(error.contains("git refused") && !error.contains('\n'), "{error}");
}
