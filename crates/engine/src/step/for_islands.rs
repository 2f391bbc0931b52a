//! Loop over islands, on several threads where that is faster. The result does not depend on the number of threads.

use crate::StepError;
use crate::step::island::Island;
use crate::step::solve::IslandSpace;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Number of contacts in all islands from which on other threads are used. Waking threads costs as much as some dozen
/// resting contacts.
const WORTH_SHARING: usize = 64;

/// Calls `work` for every island with its workspace and its item of `others`, in parallel if that is worth it. If
/// several islands fail, the error of the first in order is returned.
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

/// Whether there is enough work for several threads, and there are several. Without the feature `parallel` there is
/// one.
fn is_worth_sharing(islands: &[Island]) -> bool {
    #[cfg(feature = "parallel")]
    let threads = rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    let threads = 1;
    let constraints = || islands.iter().map(|island| island.contacts.len() + island.joints.len()).sum::<usize>();
    threads > 1 && islands.len() > 1 && constraints() >= WORTH_SHARING
}
