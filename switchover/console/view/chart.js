// SPDX-License-Identifier: Apache-2.0
// Lines over time, drawn by uPlot in the page's own colours.
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { language, theme, zone } from "../state/preferences.js";
import { t } from "../i18n/catalogue.js";
import { useCell } from "../state/cell.js";
import { wall_time } from "../state/clock.js";

/** @typedef {{label: string, colour: string, points: [number, number][]}} Series  colour: a CSS variable */

/** A series with a null where nothing was reported for long: there the line must break.
 *  @param {[number, number][]} points @returns {[number, number | null][]} */
export function with_gaps(points) {
    const steps = points.slice(1).map(([at], index) => at - points[index][0]).sort((a, b) => a - b);
    const usual = steps[Math.floor(steps.length / 2)] ?? 0;
    return points.flatMap((point, index) => {
        const next = points[index + 1];
        const breaks = next !== undefined && usual > 0 && next[0] - point[0] > usual * 3.5;
        return breaks ? [point, /** @type {[number, null]} */ ([point[0] + usual, null])] : [point];
    });
}

/** One axis of time for all series. Where one has no value of its own uPlot takes undefined as
 *  "go on" and null as "break".
 *  @param {Series[]} series @returns {(number | null | undefined)[][]} */
export function aligned(series) {
    const broken = series.map((each) => with_gaps(each.points));
    const times = [...new Set(broken.flatMap((points) => points.map(([at]) => at)))].sort((a, b) => a - b);
    return [
        times.map((at) => at / 1000),
        ...broken.map((points) => {
            const known = new Map(points);
            return times.map((at) => known.get(at));
        }),
    ];
}

/** @param {HTMLElement} place @param {Series[]} series @param {{from: number, to: number}} span in ms @param {number} width */
function options(place, series, span, width) {
    const style = getComputedStyle(place);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const font = `12px ${style.fontFamily}`;
    const axis = {
        stroke: colour("--faint"), font,
        grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 },
    };
    const wide = span.to - span.from > 20 * 3_600_000;
    return /** @type {any} */ ({
        width,
        height: 170,
        tzDate: (/** @type {number} */ s) => (zone.value === "utc" ? uPlot.tzDate(new Date(s * 1000), "Etc/UTC") : new Date(s * 1000)),
        cursor: { drag: { x: false, y: false } },
        legend: { live: true },
        scales: { x: { time: true, range: [span.from / 1000, span.to / 1000] }, y: { range: [0, 100] } },
        axes: [
            {
                ...axis,
                values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((s) =>
                    (wide ? wall_time(s * 1000, { date: true }).slice(5, 16) : wall_time(s * 1000).slice(0, 5))),
                space: wide ? 90 : 60,
            },
            { ...axis, size: 46, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((v) => `${v} %`) },
        ],
        series: [
            { value: (/** @type {any} */ _, /** @type {number | null} */ s) => (s === null ? "–" : wall_time(s * 1000, { date: wide })), label: t("chart.time") },
            ...series.map((each) => ({
                label: each.label,
                stroke: colour(each.colour),
                width: 2,
                points: { show: false },
                spanGaps: false,
                value: (/** @type {any} */ _, /** @type {number | null} */ v) => (v === null ? "–" : `${v.toFixed(1)} %`),
            })),
        ],
    });
}

/** @param {{series: Series[], span: {from: number, to: number}, label: string}} props */
export function Chart({ series, span, label }) {
    const place = useRef(/** @type {HTMLDivElement | null} */ (null));
    const look = `${useCell(theme)} ${useCell(zone)} ${useCell(language)}`;
    useEffect(() => {
        const element = place.current;
        if (!element) return undefined;
        const data = /** @type {any} */ (aligned(series));
        let plot = new uPlot(options(element, series, span, Math.max(200, element.clientWidth)), data, element);
        const dark = matchMedia("(prefers-color-scheme: dark)");
        const redraw = () => {
            plot.destroy();
            plot = new uPlot(options(element, series, span, Math.max(200, element.clientWidth)), data, element);
        };
        const sized = new ResizeObserver(() => {
            if (Math.abs(plot.width - Math.max(200, element.clientWidth)) > 1)
                plot.setSize({ width: Math.max(200, element.clientWidth), height: 170 });
        });
        sized.observe(element);
        dark.addEventListener("change", redraw);
        return () => {
            sized.disconnect();
            dark.removeEventListener("change", redraw);
            plot.destroy();
        };
    }, [series, look]);
    return html`<div class="chart" ref=${place} role="img" aria-label=${label}></div>`;
}
