use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies `work` to each item on up to `threads` threads, and returns the results in input order. If the system can't start more threads,
/// the existing threads process all items.
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work_off = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    // The current thread also works.
    let others = threads.min(items.len()).saturating_sub(1);
    let mut done = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work_off).ok();
        let others: Vec<_> = (0..others).map_while(start).collect();
        let mut done = work_off();
        for other in others {
            done.extend(
                other
                    .join()
                    .unwrap_or_else(|panic| panic::resume_unwind(panic)),
            );
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_that_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        for threads in [0, 1, 2, 8] {
            let squares = super::map(&items, threads, |item| item * item);
            assert!(
                squares
                    .iter()
                    .enumerate()
                    .all(|(index, square)| *square == index * index)
            );
            assert_eq!(squares.len(), items.len());
            assert!(super::map(&[] as &[u8], threads, |item| *item).is_empty());
        }
    }
}
