//! Limits on connections: in total, and per address.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Most connections at a time, of any kind.
const MOST: usize = 128;
/// Most connections of one address, so that one machine cannot keep others out. Sixteen pages fit, each with a socket
/// and three requests.
const MOST_OF_ONE: usize = 64;

/// Number of connections, in total and by address.
#[derive(Debug, Default)]
pub struct Places {
    taken: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A connection that is counted; dropping it gives the place back.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    peer: IpAddr,
}

impl Places {
    /// A place for another connection of `peer`, if one is free.
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&peer).copied().unwrap_or(0);
        if own >= MOST_OF_ONE || taken.values().sum::<usize>() >= MOST {
            return None;
        }
        taken.insert(peer, own + 1);
        Some(Place { places: self.clone(), peer })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.peer) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                taken.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn one_address_has_half_of_the_places_and_gives_them_back() {
        let places = Arc::new(Places::default());
        let peer = |last: u8| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last));
        let own: Vec<_> = (0..100).map_while(|_| places.take(peer(1))).collect();
        let others: Vec<_> = (0..200).map_while(|i| places.take(peer(2 + i / 10))).collect();
        assert_eq!((own.len(), others.len()), (MOST_OF_ONE, MOST - MOST_OF_ONE));
        drop(own);
        let again: Vec<_> = (0..100).map_while(|_| places.take(peer(99))).collect();
        assert_eq!(again.len(), MOST_OF_ONE);
        drop(again);
        drop(others);
        assert!(places.taken.lock().is_ok_and(|taken| taken.is_empty()));
    }
}
