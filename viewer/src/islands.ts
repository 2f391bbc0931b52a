// Which bodies hang together: through contacts that carry something, and through joints. Fixed bodies join nobody.

import { CONTACT_WORDS, ContactState, type Frame, type Scene } from "./protocol";

/** For every body the number of its island, counted from zero in the order of bodies; −1 for bodies in none. */
export function islands(scene: Scene, frame: Frame): Int32Array {
    const count = scene.bodies.length;
    const parent = Int32Array.from({ length: count }, (_, i) => i);
    const root = (i: number): number => {
        while (parent[i] !== i) {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        return i;
    };
    const moves = (i: number | null): i is number => i !== null && scene.bodies[i]?.kind === "dynamic";
    const touched = new Uint8Array(count);
    const tie = (a: number | null, b: number | null): void => {
        for (const i of [a, b]) {
            if (moves(i)) {
                touched[i] = 1;
            }
        }
        if (moves(a) && moves(b)) {
            // The smaller number is the root: islands keep their numbers while they last.
            const [low, high] = [root(a), root(b)].sort((x, y) => x - y);
            parent[high] = low;
        }
    };
    for (let c = 0; c < frame.contactCount; c++) {
        const at = c * CONTACT_WORDS;
        if (frame.contactWords[at + 14] !== ContactState.Open) {
            tie(frame.contactWords[at], frame.contactWords[at + 1]);
        }
    }
    for (const joint of scene.joints) {
        tie(joint.a.body, joint.b.body);
    }
    return Int32Array.from({ length: count }, (_, i) => (touched[i] ? root(i) : -1));
}
