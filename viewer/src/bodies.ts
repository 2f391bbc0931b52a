// The bodies of one lane. Bodies of one shape are one instanced mesh.

import * as THREE from "three";
import { bodyColour, islandColour, palette, type Theme } from "./colours";
import { Floor } from "./floor";
import { islands } from "./islands";
import { ASLEEP, BODY_WORDS, CONTACT_WORDS, ContactState, type Frame, type Scene } from "./protocol";
import { geometryOf, halfSpaceNormal } from "./shapes";

export type Colouring = "body" | "island" | "state" | "motion";

/** What is seen of a sensor, and of a body of glass. */
const SENSOR = 0.22;
const GLASS = 0.3;
/** With more fixed bodies than these, none is seen through by itself: each is a mesh of its own. */
const MOST_VEILS = 32;
/** Slower than this counts as being at rest [m/s and rad/s]. */
const AT_REST = 1e-3;

interface Group {
    mesh: THREE.InstancedMesh;
    /** Bodies by instance. */
    bodies: number[];
    material: THREE.MeshStandardMaterial;
    sensor: boolean;
    /** Whether it may be seen through where it hides something: a fixed body by itself, closed. */
    mayVeil: boolean;
    veiled: boolean;
}

/** Names that differ only in numbers at their end belong together: `brick/0/3/1`, `stone 07`. */
function familyOf(name: string): string {
    return name.replace(/[\s/_#-]*\d+([\s/_-]+\d+)*$/, "");
}

export class Bodies {
    readonly root = new THREE.Group();
    private readonly groups: Group[] = [];
    private readonly floors: { floor: Floor; body: number }[] = [];
    private readonly own: THREE.Color[] = [];
    private theme: Theme = "light";
    private glass = false;

    constructor(private readonly scene: Scene) {
        const few = scene.bodies.filter((body) => body.kind === "fixed").length <= MOST_VEILS;
        const byShape = new Map<string, number[]>();
        scene.bodies.forEach((body, index) => {
            const normal = halfSpaceNormal(scene.shapes[body.shape]);
            if (normal !== null) {
                const floor = new Floor(new THREE.Vector3(...normal));
                this.floors.push({ floor, body: index });
                this.root.add(floor.mesh);
                return;
            }
            const alone = few && body.kind === "fixed" ? ` ${index}` : "";
            const key = `${body.shape} ${body.kind === "fixed"} ${body.sensor}${alone}`;
            byShape.set(key, [...(byShape.get(key) ?? []), index]);
        });
        for (const bodies of byShape.values()) {
            const first = scene.bodies[bodies[0]];
            const shape = scene.shapes[first.shape];
            const geometry = geometryOf(shape);
            if (geometry === null) {
                continue;
            }
            const open = "mesh" in shape || "height_field" in shape;
            const material = new THREE.MeshStandardMaterial({
                roughness: 0.62,
                metalness: 0,
                side: open ? THREE.DoubleSide : THREE.FrontSide,
                flatShading: open || "hull" in shape,
            });
            const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            // What passes through a sensor is seen in it.
            mesh.castShadow = !first.sensor;
            mesh.receiveShadow = !first.sensor;
            mesh.frustumCulled = false;
            const mayVeil = few && first.kind === "fixed" && !first.sensor && !open;
            this.groups.push({ mesh, bodies, material, sensor: first.sensor, mayVeil, veiled: false });
            this.root.add(mesh);
        }
        this.dress();
    }

    /** Poses and colours of a moment. */
    show(frame: Frame, colouring: Colouring, selected: number | null): void {
        const position = new THREE.Vector3();
        const orientation = new THREE.Quaternion();
        const one = new THREE.Vector3(1, 1, 1);
        const matrix = new THREE.Matrix4();
        const colours = this.colours(frame, colouring);
        const highlight = new THREE.Color(palette(this.theme).selected);
        const colour = new THREE.Color();
        for (const { mesh, bodies } of this.groups) {
            bodies.forEach((body, instance) => {
                const at = body * BODY_WORDS;
                const [x, y, z, qw, qx, qy, qz] = frame.bodies.subarray(at, at + 7);
                matrix.compose(position.set(x, y, z), orientation.set(qx, qy, qz, qw), one);
                mesh.setMatrixAt(instance, matrix);
                colour.copy(colours[body]);
                if (body === selected) {
                    colour.lerp(highlight, 0.45);
                }
                mesh.setColorAt(instance, colour);
            });
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor !== null) {
                mesh.instanceColor.needsUpdate = true;
            }
            // Rays are tested against this first.
            mesh.boundingSphere = null;
        }
        for (const { floor, body } of this.floors) {
            const at = body * BODY_WORDS;
            floor.mesh.position.fromArray(frame.bodies, at);
        }
    }

    private colours(frame: Frame, colouring: Colouring): THREE.Color[] {
        const { bodies } = this.scene;
        const colours = palette(this.theme);
        const [fixed, sensor] = [new THREE.Color(colours.fixed), new THREE.Color(colours.sensor)];
        const dynamic = (of: (index: number) => THREE.Color): THREE.Color[] =>
            bodies.map((body, index) => (body.sensor ? sensor : body.kind === "fixed" ? fixed : of(index)));
        if (colouring === "body") {
            return this.own;
        }
        if (colouring === "island") {
            const island = islands(this.scene, frame);
            const alone = new THREE.Color(colours.open);
            return dynamic((i) => (island[i] < 0 ? alone : islandColour(this.theme, island[i])));
        }
        if (colouring === "motion") {
            const [asleep, rest, moving] = [colours.asleep, colours.rest, colours.moving].map((c) => new THREE.Color(c));
            return dynamic((i) => {
                if (frame.bodyWords[i * BODY_WORDS + 13] & ASLEEP) {
                    return asleep;
                }
                const speeds = frame.bodies.subarray(i * BODY_WORDS + 7, i * BODY_WORDS + 13);
                return speeds.every((value) => Math.abs(value) < AT_REST) ? rest : moving;
            });
        }
        // The most mobile contact that carries something decides.
        const state = new Uint8Array(bodies.length);
        for (let c = 0; c < frame.contactCount; c++) {
            const [a, b] = frame.contactWords.subarray(c * CONTACT_WORDS, c * CONTACT_WORDS + 2);
            const own = frame.contactWords[c * CONTACT_WORDS + 14];
            state[a] = Math.max(state[a], own);
            state[b] = Math.max(state[b], own);
        }
        const list = [colours.open, colours.stick, colours.slip].map((c) => new THREE.Color(c));
        return dynamic((i) => list[state[i]] ?? list[ContactState.Open]);
    }

    paint(theme: Theme): void {
        this.theme = theme;
        const colours = palette(theme);
        // Every family of names has its colour, in the order in which they appear.
        const families = new Map<string, number>();
        this.own.length = 0;
        this.scene.bodies.forEach((body, index) => {
            if (body.sensor || body.kind === "fixed") {
                this.own.push(new THREE.Color(body.sensor ? colours.sensor : colours.fixed));
                return;
            }
            const family = familyOf(body.name);
            if (!families.has(family)) {
                families.set(family, families.size);
            }
            const shade = family === body.name ? 0 : index;
            this.own.push(bodyColour(colours, families.get(family) ?? 0, shade));
        });
        this.floors.forEach(({ floor }) => floor.paint(colours));
    }

    seeThrough(on: boolean): void {
        if (on !== this.glass) {
            this.glass = on;
            this.dress();
        }
    }

    /** Sees through fixed bodies that stand between the eye and a point; those that did go on to, unless `anew`. */
    veil(eye: THREE.Vector3, points: readonly THREE.Vector3[], anew: boolean): void {
        let changed = false;
        for (const group of this.groups.filter(({ mayVeil, veiled }) => mayVeil && (anew || !veiled))) {
            const hides = points.some((point) => {
                const way = point.clone().sub(eye);
                const ray = new THREE.Raycaster(eye, way.clone().normalize(), 0, way.length());
                return ray.intersectObject(group.mesh, false).length > 0;
            });
            changed ||= hides !== group.veiled;
            group.veiled = hides;
        }
        if (changed) {
            this.dress();
        }
    }

    private dress(): void {
        for (const { mesh, material, sensor, veiled } of this.groups) {
            const clear = this.glass || sensor || veiled;
            material.transparent = clear;
            material.opacity = sensor ? SENSOR : clear ? GLASS : 1;
            material.depthWrite = !clear;
            material.needsUpdate = true;
            mesh.renderOrder = sensor || veiled ? 6 : 0;
        }
    }

    /** Whether a body may be in the way of what is behind it. */
    hides(body: number): boolean {
        return this.scene.bodies[body].kind === "fixed" && !this.groups.some(({ mayVeil, bodies }) => mayVeil && bodies.includes(body));
    }

    /** Where everything but half-spaces is. */
    bounds(frame: Frame, kinds: readonly string[]): THREE.Box3 {
        const box = new THREE.Box3();
        const point = new THREE.Vector3();
        for (const { mesh, bodies } of this.groups) {
            mesh.geometry.computeBoundingSphere();
            const radius = mesh.geometry.boundingSphere?.radius ?? 0;
            for (const body of bodies) {
                if (kinds.includes(this.scene.bodies[body].kind)) {
                    point.fromArray(frame.bodies, body * BODY_WORDS);
                    box.expandByPoint(point.clone().addScalar(radius));
                    box.expandByPoint(point.clone().addScalar(-radius));
                }
            }
        }
        return box;
    }

    /** Middle radius of the moving bodies: what glyphs are scaled by [m]. */
    typicalRadius(): number {
        const radii: number[] = [];
        for (const { mesh, bodies } of this.groups) {
            mesh.geometry.computeBoundingSphere();
            for (const body of bodies) {
                if (this.scene.bodies[body].kind !== "fixed") {
                    radii.push(mesh.geometry.boundingSphere?.radius ?? 0);
                }
            }
        }
        radii.sort((a, b) => a - b);
        return radii[Math.floor(radii.length / 2)] ?? 1;
    }

    cover(centre: THREE.Vector3, size: number): void {
        this.floors.forEach(({ floor }) => floor.cover(centre, size));
    }

    /** The body that a ray meets first. */
    pick(ray: THREE.Raycaster): number | null {
        return this.hit(ray)?.body ?? null;
    }

    /** The body that a ray meets first, and where; what is seen through only if there is nothing else. */
    hit(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
        const clear = (group: Group): boolean => group.sensor || group.veiled;
        const first = (groups: Group[]): THREE.Intersection | undefined => ray.intersectObjects(groups.map(({ mesh }) => mesh), false)[0];
        const hit = first(this.groups.filter((group) => !clear(group))) ?? first(this.groups.filter(clear));
        const group = this.groups.find(({ mesh }) => mesh === hit?.object);
        return group !== undefined && hit?.instanceId !== undefined ? { body: group.bodies[hit.instanceId], point: hit.point } : null;
    }

    /** How far a point is above the floor it is deepest in, or nearest to [m], and which way is up there; null without floors. */
    above(point: THREE.Vector3): { height: number; up: THREE.Vector3 } | null {
        // Walls and ceilings may be looked through from behind.
        const floors = this.floors.filter(({ floor }) => floor.normal.z > 0.5);
        const heights = floors.map(({ floor }) => ({
            height: floor.normal.dot(point.clone().sub(floor.mesh.position)),
            up: floor.normal,
        }));
        return heights.sort((a, b) => a.height - b.height)[0] ?? null;
    }

    dispose(): void {
        for (const { mesh, material } of this.groups) {
            mesh.geometry.dispose();
            mesh.dispose();
            material.dispose();
        }
        this.floors.forEach(({ floor }) => floor.dispose());
    }
}
