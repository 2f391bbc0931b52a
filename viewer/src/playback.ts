// The playhead: which moment is shown. It belongs to the page; the simulation goes on regardless.

/** A playhead less than this many moments behind the newest shows what happens now. */
const LIVE = 30;

export class Playback {
    /** Time shown [s]. */
    time = 0;
    playing = true;
    /** Seconds of the scene per second. */
    rate = 1;
    private step = 1 / 60;
    private first = 0;
    private end = 0;

    reset(step: number): void {
        this.step = step;
        this.time = 0;
        this.first = 0;
        this.end = 0;
        this.playing = true;
    }

    /** Frames `first..end` can be shown. */
    limit(first: number, end: number): void {
        this.first = first;
        this.end = end;
    }

    get index(): number {
        const index = Math.floor(this.time / this.step + 1e-6);
        return Math.max(this.first, Math.min(index, this.last));
    }

    get last(): number {
        return Math.max(0, this.end - 1);
    }

    get atEnd(): boolean {
        return this.index >= this.last;
    }

    /** Lets `seconds` of the wall clock pass; `more` says whether frames are still being made. */
    advance(seconds: number, more: boolean): void {
        if (!this.playing || this.end === 0) {
            return;
        }
        this.time += seconds * this.rate;
        const limit = this.last * this.step;
        if (this.time >= limit) {
            this.time = limit;
            this.playing = more;
        }
    }

    toggle(more: boolean): void {
        if (!this.playing && this.atEnd && !more) {
            this.show(this.first);
        }
        this.playing = !this.playing;
    }

    /** Stops at a frame. */
    show(index: number): void {
        this.time = Math.max(this.first, Math.min(index, this.last)) * this.step;
    }

    /** Who acts on what happens now must see it: a playhead that lags behind goes there. */
    catchUp(): void {
        if (this.last - this.index >= LIVE) {
            this.show(this.last);
            this.playing = true;
        }
    }

    move(frames: number): void {
        this.playing = false;
        this.show(this.index + frames);
    }
}
