//! A small fixed pool for what blocks: files, git, starting programs. Its size never grows with
//! panes.
//!
//! Not here: what the jobs do.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use mio::Waker;

type Job<T> = Box<dyn FnOnce() -> Option<T> + Send>;

/// Runs jobs off the loop's thread; what they find comes back to the loop, which is woken.
pub(crate) struct Pool<T> {
    jobs: Sender<Job<T>>,
    found: Receiver<T>,
    back: Sender<T>,
    waker: Arc<Waker>,
}

impl<T: Send + 'static> Pool<T> {
    /// A pool of so many threads.
    pub(crate) fn new(threads: usize, waker: Arc<Waker>) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job<T>>();
        let (back, found) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads {
            let (queue, back, waker) = (queue.clone(), back.clone(), waker.clone());
            thread::Builder::new().name(format!("pool-{number}")).spawn(move || {
                loop {
                    let job = match queue.lock() {
                        Ok(queue) => queue.recv(),
                        Err(_) => return,
                    };
                    let Ok(job) = job else { return };
                    if let Some(found) = job()
                        && back.send(found).is_ok()
                    {
                        // A failed wake means the loop is gone, and nobody wants the result.
                        let _ = waker.wake();
                    }
                }
            })?;
        }
        Ok(Pool { jobs, found, back, waker })
    }

    /// Runs a job; a result of None wakes nobody.
    pub(crate) fn run(&self, job: impl FnOnce() -> Option<T> + Send + 'static) {
        // The threads live as long as this sender.
        let _ = self.jobs.send(Box::new(job));
    }

    /// A way for other threads to hand results to the loop.
    pub(crate) fn sender(&self) -> impl Fn(T) + Send + 'static + use<T> {
        let (back, waker) = (self.back.clone(), self.waker.clone());
        move |found| {
            if back.send(found).is_ok() {
                let _ = waker.wake();
            }
        }
    }

    /// What came back.
    pub(crate) fn found(&self) -> Vec<T> {
        self.found.try_iter().collect()
    }
}
