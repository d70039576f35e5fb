//! Turns a captured screen into an SVG: what `tmux capture-pane -e -p` or `kraal read --ansi` prints.
//!
//! Not a terminal: a capture is lines of text with colours, so cursor movement and modes are passed over.

mod ansi;
mod boxes;
mod paint;
mod palette;

/// The SVG of a captured screen.
pub(crate) fn svg(capture: &str) -> String {
    paint::paint(&ansi::rows(capture))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_becomes_well_formed_text_in_its_place() {
        let picture = svg("\x1b[1;31mred\x1b[0m <a&b> 世\n╭─╮\n");
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(picture.contains(">red</text>"));
        assert!(picture.contains("&lt;a&amp;b&gt;"));
        assert!(!picture.contains('\x1b'));
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
    }
}
