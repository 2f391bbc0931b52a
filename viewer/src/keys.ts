// The keyboard: one table for what keys do and for the help that lists them.

export interface Key {
    /** As shown. */
    shown: string;
    /** Values of `KeyboardEvent.key`. */
    keys: string[];
    does: string;
    run: (event: KeyboardEvent) => void;
}

export function listen(keys: readonly Key[], busy: () => boolean): void {
    window.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || busy() || typing(event.target)) {
            return;
        }
        const key = keys.find((each) => each.keys.includes(event.key));
        if (key === undefined || (event.key === " " && event.target instanceof HTMLButtonElement)) {
            return;
        }
        event.preventDefault();
        key.run(event);
    });
}

/** Whether keys belong to a field. The scrubber is one of ours. */
function typing(target: EventTarget | null): boolean {
    return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "range");
}

export function describe(keys: readonly Key[], root: HTMLElement): void {
    for (const key of keys) {
        const name = document.createElement("kbd");
        const does = document.createElement("span");
        name.textContent = key.shown;
        does.textContent = key.does;
        root.append(name, does);
    }
}
