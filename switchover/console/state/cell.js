// SPDX-License-Identifier: Apache-2.0
// A value that tells its watchers when it changes: all the state management that this page needs.
import { useEffect, useState } from "preact/hooks";

/** @template T */
export class Cell {
    /** @param {T} value */
    constructor(value) {
        this.value = value;
        /** @type {Set<(value: T) => void>} */
        this.watchers = new Set();
    }

    /** @param {T} value */
    set(value) {
        if (Object.is(value, this.value)) return;
        this.value = value;
        for (const watcher of [...this.watchers]) watcher(value);
    }

    /** @param {(value: T) => void} watcher @returns {() => void} ends the watching */
    watch(watcher) {
        this.watchers.add(watcher);
        return () => { this.watchers.delete(watcher); };
    }
}

/** @template T @param {Cell<T>} cell @returns {T} */
export function useCell(cell) {
    const [, redraw] = useState(0);
    useEffect(() => cell.watch(() => redraw((count) => count + 1)), [cell]);
    return cell.value;
}

/** Draws the component anew each `every_ms`: for ages and clocks. @param {number} every_ms */
export function useTick(every_ms) {
    const [, redraw] = useState(0);
    useEffect(() => {
        if (!every_ms) return undefined;
        const timer = setInterval(() => redraw((count) => count + 1), every_ms);
        return () => clearInterval(timer);
    }, [every_ms]);
}
