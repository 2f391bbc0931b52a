// What the server says, and how frames are laid out. The same is written down in docs/viewer.md; the server's side is
// crates/view/src/{protocol,frame}.rs.

export const VERSION = 1;

export type Triple = [number, number, number];

export type Shape =
    | { sphere: { radius: number } }
    | { cuboid: { half_extents: Triple } }
    | { ellipsoid: { half_extents: Triple } }
    | { rounded_cuboid: { half_extents: Triple; radius: number } }
    | { rounded_hull: { points: Triple[]; radius: number } }
    | { capsule: { half_height: number; radius: number } }
    | { cylinder: { half_height: number; radius: number } }
    | { cone: { half_height: number; radius: number } }
    | { hull: { points: Triple[] } }
    | { half_space: { normal: Triple } }
    | { mesh: { vertices: Triple[]; triangles: Triple[] } }
    | { height_field: { columns: number; rows: number; spacing: [number, number]; heights: number[] } }
    | { compound: { parts: { shape: Shape; position?: Triple; orientation?: [number, number, number, number] }[] } };

export interface Body {
    name: string;
    kind: "dynamic" | "kinematic" | "fixed";
    /** Place in the list of shapes. */
    shape: number;
    /** [kg]; null unless dynamic. */
    mass: number | null;
    friction: number;
    restitution: number;
    /** Whether it detects and does not touch. */
    sensor: boolean;
}

export interface JointEnd {
    body: number | null;
    point: Triple;
    /** w x y z. Hinges turn about the z axis, sliders slide along it. */
    axes: [number, number, number, number];
}

export interface Joint {
    kind: string;
    /** Whether a motor acts along one of its coordinates. */
    driven: boolean;
    a: JointEnd;
    b: JointEnd;
}

export interface Scene {
    name: string;
    description: string;
    gravity: Triple;
    step: number;
    duration: number;
    origin: Triple;
    shapes: Shape[];
    bodies: Body[];
    joints: Joint[];
}

export interface LaneInfo {
    method: string;
    max_iterations: number | null;
    tolerance: number;
    /** The most that an island may spend in a step [factorizations]; null: until nothing is left to try. */
    budget: number | null;
}

export interface Welcome {
    type: "welcome";
    version: number;
    program: string;
    control: boolean;
    /** Whether scenes may be given as text. */
    editor: boolean;
    scenes: { name: string; description: string }[];
    methods: string[];
}

export interface Run {
    type: "run";
    epoch: number;
    scene: Scene;
    lanes: LaneInfo[];
}

export type Phase = "running" | "paused" | "finished" | "failed" | "recorded";

export interface State {
    type: "state";
    epoch: number;
    phase: Phase;
    message: string | null;
    speed: number;
    first: number;
    end: number;
}

export interface Refusal {
    type: "error";
    code: number;
    message: string;
}

/** The file of a scene, as it was asked for. */
export interface SceneText {
    type: "scene_text";
    text: string;
}

/** What is wrong with a scene file; null: nothing. */
export interface Checked {
    type: "checked";
    message: string | null;
}

export type Answer = Welcome | Run | State | SceneText | Checked | Refusal;

export interface LaneRequest {
    method?: string;
    max_iterations?: number;
    tolerance?: number;
}

export type Request =
    | { type: "hello"; token: string; version: number }
    | { type: "frames"; epoch: number; lane: number; from: number; to: number }
    | { type: "pause" | "resume" | "step" | "reset" }
    | { type: "speed"; factor: number }
    | { type: "budget"; factorizations: number | null }
    | { type: "open"; scene: string; lanes: LaneRequest[] }
    | { type: "open_text"; text: string; lanes: LaneRequest[] }
    | { type: "scene_text"; scene: string }
    | { type: "check"; text: string }
    | ({ type: "drag" } & Drag)
    | { type: "release" };

/** A body pulled by the pointer: a point in its frame, and where it is pulled to in the world [m]. */
export interface Drag {
    body: number;
    point: Triple;
    target: Triple;
}

/** Numbers that JSON cannot write (infinite ones) arrive as null. */
type Maybe = number | null;

export interface Energy {
    linear: number;
    rotational: number;
    potential: number;
}

export interface Certificate {
    natural: Maybe;
    normal: Maybe;
    worst_block: number | null;
    penetration_rate: Maybe;
    joint_rate: Maybe;
    creep: Maybe;
    dissipation_defect: Maybe;
    outside_cone: Maybe;
    floor: Maybe;
    speed: Maybe;
}

/** Bodies by their places in the list of the scene; joints in the order of their bodies. */
export interface Place {
    bodies: [number | null, number | null];
    joint: number | null;
}

export interface Part {
    value: Maybe;
    bound: Maybe;
    place: Place;
}

export type PartKey =
    | "velocity"
    | "overlap"
    | "joint_gap"
    | "joint_turn"
    | "closure"
    | "energy_rise"
    | "momentum"
    | "stages";

/** What the verdict on a step is about, part by part, with names and units. */
export const PARTS: readonly [key: PartKey, name: string, unit: string][] = [
    ["velocity", "velocity", "m/s"],
    ["overlap", "overlap", "m"],
    ["joint_gap", "joint gap", "m"],
    ["joint_turn", "joint turn", "rad"],
    ["closure", "energy closure", ""],
    ["energy_rise", "energy rise", ""],
    ["momentum", "momentum", ""],
    ["stages", "cut short", ""],
];

export interface Report {
    status: "certified" | "degraded";
    measured: Maybe;
    tolerance: number;
    /** What a page pulled at in this step. */
    drag?: Drag;
    /** Null from recordings before format 3, which do not tell. */
    certificate: Record<PartKey, Part> | null;
    /** Of the contact problem with the largest residual; null if nothing touched. */
    velocity: Certificate | null;
    penetration: number;
    restitution_scale: number;
    counts: {
        bodies: number;
        contacts: number;
        impacts: number;
        joints: number;
        islands: number;
        states: { open: number; slip: number; stick: number };
    };
    effort: { iterations: number };
    energy: {
        before: Energy;
        after: Energy;
        external: number;
        normal: number;
        friction: number;
        joints: number;
        driven: number;
        integration: number;
        stabilisation: number;
        stopped?: number;
        motor?: number;
        spring?: number;
    };
    times: Record<string, number>;
}

export const enum ContactState {
    Open = 0,
    Stick = 1,
    Slip = 2,
}

export const BODY_WORDS = 14;
export const ASLEEP = 1;
export const QUARANTINED = 2;
export const CONTACT_WORDS = 15;
const HEADER_BYTES = 48;
const MAGIC = 0x31464753; // "SGF1", little endian

/** One moment of a lane, laid over the bytes it came in. */
export interface Frame {
    lane: number;
    epoch: number;
    index: number;
    time: number;
    bodyCount: number;
    contactCount: number;
    /** Per body: position, orientation (w, x, y, z), velocity, angular velocity. */
    bodies: Float32Array;
    /** The same memory as whole numbers: 13 flags. */
    bodyWords: Uint32Array;
    /** Per contact, as numbers: 2..4 point, 5..7 normal, 8..10 impulse, 11 gap, 12 friction, 13 slip speed. */
    contacts: Float32Array;
    /** The same memory as whole numbers: 0 and 1 bodies, 14 state. */
    contactWords: Uint32Array;
    report: Report | null;
    bytes: number;
}

/** Reads a frame. Throws on anything that is not one. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
    const view = new DataView(buffer);
    if (buffer.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
        throw new Error("not a frame");
    }
    const bodyCount = view.getUint32(24, true);
    const contactCount = view.getUint32(28, true);
    const reportBytes = view.getUint32(32, true);
    const bodiesAt = HEADER_BYTES;
    const contactsAt = bodiesAt + 4 * BODY_WORDS * bodyCount;
    const reportAt = contactsAt + 4 * CONTACT_WORDS * contactCount;
    if (reportAt + reportBytes !== buffer.byteLength) {
        throw new Error(`a frame of ${buffer.byteLength} bytes should have ${reportAt + reportBytes}`);
    }
    const report =
        reportBytes > 0
            ? (JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, reportAt, reportBytes))) as Report)
            : null;
    return {
        lane: view.getUint32(4, true),
        epoch: view.getUint32(8, true),
        index: view.getUint32(12, true),
        time: view.getFloat64(16, true),
        bodyCount,
        contactCount,
        bodies: new Float32Array(buffer, bodiesAt, BODY_WORDS * bodyCount),
        bodyWords: new Uint32Array(buffer, bodiesAt, BODY_WORDS * bodyCount),
        contacts: new Float32Array(buffer, contactsAt, CONTACT_WORDS * contactCount),
        contactWords: new Uint32Array(buffer, contactsAt, CONTACT_WORDS * contactCount),
        report,
        bytes: buffer.byteLength,
    };
}

/** A residual for plots: infinite where it could not be evaluated, NaN where nothing touched. */
export function measuredOf(report: Report | null): number {
    if (report === null || report.velocity === null) {
        return NaN;
    }
    return report.measured ?? Infinity;
}

/** Whether a part meets its bound; null stands for infinity. */
export function isMet({ value, bound }: Part): boolean {
    return (value ?? Infinity) <= (bound ?? Infinity);
}

/** Names of the parts that miss their bounds. */
export function misses(report: Report): string[] {
    const { certificate } = report;
    return certificate === null ? [] : PARTS.filter(([key]) => !isMet(certificate[key])).map(([, name]) => name);
}

/** A part over its bound, for plots: NaN where nothing is known. */
export function excessOf(report: Report | null, key: PartKey): number {
    const part = report?.certificate?.[key];
    if (part === undefined) {
        return NaN;
    }
    return part.value === 0 ? 0 : (part.value ?? Infinity) / (part.bound ?? Infinity);
}
