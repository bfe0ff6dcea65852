// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them. A missing number is a dash, never a zero.

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** @param {number | null | undefined} value */
export function bytes(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    let size = value;
    let unit = 0;
    while (size >= 1024 && unit < kUnits.length - 1) {
        size /= 1024;
        unit += 1;
    }
    return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${kUnits[unit]}`;
}

/** @param {number | null | undefined} value 0..100 @param {number} [digits] */
export function percent(value, digits = 0) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    return `${value.toFixed(digits)} %`;
}
