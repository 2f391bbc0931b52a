// Numbers as people read them.

const SUPERSCRIPTS: Record<string, string> = {
    "-": "⁻",
    "0": "⁰",
    "1": "¹",
    "2": "²",
    "3": "³",
    "4": "⁴",
    "5": "⁵",
    "6": "⁶",
    "7": "⁷",
    "8": "⁸",
    "9": "⁹",
};

/** 10 to a power, as in 10⁻⁹. */
export function powerOfTen(exponent: number): string {
    return `10${[...String(exponent)].map((c) => SUPERSCRIPTS[c]).join("")}`;
}

/** A number with `digits` that count: 0.0123, 4.56, 7890, 1.2·10⁻⁹. */
export function show(value: number | null | undefined, digits = 3): string {
    if (value === undefined || Number.isNaN(value)) {
        return "–";
    }
    if (value === null || !Number.isFinite(value)) {
        return value === -Infinity ? "−∞" : "∞";
    }
    if (value === 0) {
        return "0";
    }
    const size = Math.abs(value);
    if (size >= 1e-3 && size < 1e5) {
        return minus(Number(value.toPrecision(digits)).toString());
    }
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${minus(mantissa)}·${powerOfTen(Number(exponent))}`;
}

/** With its unit. */
export function withUnit(value: number | null | undefined, unit: string, digits = 3): string {
    return `${show(value, digits)}\u202f${unit}`;
}

export function vector(x: number, y: number, z: number, digits = 3): string {
    return `(${[x, y, z].map((value) => show(Math.abs(value) < 1e-12 ? 0 : value, digits)).join(", ")})`;
}

/** A proper minus sign. */
function minus(text: string): string {
    return text.replace("-", "−");
}

/** A few round numbers that cover an interval. */
export function ticks(low: number, high: number, about: number): number[] {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span)) {
        return [low];
    }
    const rough = span / about;
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = base * ([1, 2, 5, 10].find((factor) => factor * base >= rough) ?? 10);
    const list: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9) + 0; k * step <= high + 1e-9 * span; k++) {
        list.push(k * step);
    }
    return list;
}
