//! The loop over islands: on all threads where that pays, with the same result.

use crate::StepError;
use crate::step::island::Island;
use crate::step::solve::IslandSpace;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Contacts in all islands from which other threads are asked to help: waking them costs as much as some dozen contacts
/// at rest.
const WORTH_SHARING: usize = 64;

/// Calls `work` for every island with its space and another thing of its own, in parallel where that pays. The first
/// island that fails is reported, whichever thread was first.
pub(crate) fn for_islands<T: Send>(
    islands: &[Island],
    spaces: &mut [IslandSpace],
    others: &mut [T],
    work: impl Fn(usize, &Island, &mut IslandSpace, &mut T) -> Result<(), StepError> + Sync,
) -> Result<(), StepError> {
    let work = |(index, ((island, space), other)): (usize, ((&Island, &mut IslandSpace), &mut T))| {
        space.error = work(index, island, space, other).err();
    };
    if is_worth_sharing(islands) {
        #[cfg(feature = "parallel")]
        islands.par_iter().zip(spaces.par_iter_mut()).zip(others).enumerate().for_each(work);
    } else {
        islands.iter().zip(spaces.iter_mut()).zip(others).enumerate().for_each(work);
    }
    match spaces.iter_mut().take(islands.len()).find_map(|space| space.error.take()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Whether there is enough work for other threads, and there are any. A program without the feature `parallel` has none.
fn is_worth_sharing(islands: &[Island]) -> bool {
    #[cfg(feature = "parallel")]
    let threads = rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    let threads = 1;
    let constraints = || islands.iter().map(|island| island.contacts.len() + island.joints.len()).sum::<usize>();
    threads > 1 && islands.len() > 1 && constraints() >= WORTH_SHARING
}
