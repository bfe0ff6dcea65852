// SPDX-License-Identifier: Apache-2.0
// The first page: one sentence, both sites, what can be done, what was done last.
import { html } from "htm/preact";
import { useTick } from "../state/cell.js";
import { age_now, duration, wall_time } from "../state/clock.js";
import { by_urgency } from "../state/blocking.js";
import { headline_of } from "../state/headline.js";
import { hosts, known_run } from "../state/live.js";
import { address } from "../state/route.js";
import { site_name, t, t_or, titled, told } from "../i18n/catalogue.js";
import { Shape, Tag, tone_of } from "./mark.js";
import { RunNow } from "./run_now.js";
import { RunRow } from "./runs.js";
import { ScenarioCard, SwitchButton } from "./scenario.js";
import { SiteCard } from "./site.js";

/** @import { Overview, Run, Service, Site, Notice } from "../types.js" */
/** @import { Headline } from "../state/headline.js" */

/** @param {{timed: {value: Overview, at: number}, open_why: string}} props */
export function OverviewPage({ timed, open_why }) {
    const all = timed.value;
    const headline = headline_of(all);
    const run = headline.run;
    const others = all.runs.active.slice(1);
    return html`<div class="overview">
        ${run ? html`<${RunNow} run=${known_run(run)} headline=${headline} />`
            : html`<${HeadlineBlock} headline=${headline} all=${all} />`}
        <${ServiceStrip} services=${all.services} sites=${all.sites} at=${timed.at} />
        ${others.map((each) => html`<${RunRow} run=${each} key=${each.id} />`)}
        <div class="columns">
            <section class="sites" aria-label=${t("sites.title")}>
                ${all.sites.map((site) => html`<${SiteCard} key=${site.name} site=${site} at=${timed.at}
                    machines=${(hosts.value?.value ?? []).filter((host) => host.site === site.name)}
                    heard_at=${hosts.value?.at ?? 0} />`)}
                ${all.sites.length === 0 && html`<p class="faint">${t("sites.none")}</p>`}
            </section>
            <section class="actions" aria-labelledby="actions-title">
                <h2 id="actions-title">${t("scenarios.title")}</h2>
                ${by_urgency(all.scenarios).map((scenario) => html`<${ScenarioCard} key=${scenario.name} scenario=${scenario}
                    all=${all} open=${open_why === scenario.name} />`)}
                ${all.scenarios.length === 0 && html`<p class="faint">${t("scenarios.none")}</p>`}
            </section>
        </div>
        <${Notices} alarms=${all.alarms} />
        <section class="last" aria-labelledby="last-title">
            <h2 id="last-title">${t("runs.last")}</h2>
            ${all.runs.last ? html`<${RunRow} run=${all.runs.last} />` : html`<p class="faint">${t("runs.none")}</p>`}
            <a href=${address("runs")}>${t("runs.all")}</a>
        </section>
    </div>`;
}

/** @param {Headline} headline */
function names_of(headline) {
    return {
        site: site_name(headline.site),
        other: site_name(headline.other) || t("headline.no_other"),
        n: headline.count ?? 0,
    };
}

/** @param {{headline: Headline, all: Overview}} props */
function HeadlineBlock({ headline, all }) {
    const names = names_of(headline);
    const why = headline.key === "headline.blind" && all.blind.why
        ? t_or(`blind.${all.blind.why}`, all.blind.why) : "";
    return html`<section class=${`headline tone-${headline.tone}`} data-test="headline" data-tone=${headline.tone} data-key=${headline.key.slice("headline.".length)}>
        <${Shape} tone=${headline.tone} large=${true} />
        <div class="headline-words" aria-live="polite">
            <h1>${t(headline.key, names)}</h1>
            <p>${t(`${headline.key}.more`, names)}</p>
            ${why && html`<p class="headline-why">${t("headline.why", { why })}</p>`}
        </div>
        ${headline.scenario ? html`<${SwitchButton} scenario=${headline.scenario} all=${all} big=${true} />`
            : html`<${LastRecovery} run=${all.runs.last} />`}
    </section>`;
}

/** How long users waited the last time: what the next time will be measured against.
 *  @param {{run: Run | null}} props */
function LastRecovery({ run }) {
    if (!run || run.rto_ms === null || run.rto_ms === undefined) return null;
    return html`<a class="last-rto" href=${address("runs", run.id)}><span>${t("headline.last_rto")}</span>
        <b class="number">${duration(run.rto_ms)}</b>
        <span>${run.rto_target_ms ? t("clock.counting", { target: duration(run.rto_target_ms) }) : ""}</span></a>`;
}

/** @param {{services: Service[], sites: Site[], at: number}} props */
function ServiceStrip({ services, sites, at }) {
    useTick(500);
    if (services.length === 0) return null;
    return html`<section class="services" aria-label=${t("services.title")}>
        ${services.map((service) => html`<div class="service" key=${service.name}>
            <${Tag} tone=${service.good ? "ok" : "bad"} strong=${true}>
                ${titled(service.title, service.name)} · ${t(service.good ? "service.good" : "service.bad")}</${Tag}>
            <span>${t("service.last_good")} <span class="number" title=${wall_time(service.last_good_wall, { date: true, ms: true })}>
                ${service.last_good_wall ? t("time.ago", { age: duration(age_now(service.age_ms, at)) }) : t("service.never")}</span></span>
            ${service.views.map((view) => html`<span class="service-view" key=${view.view} title=${view.detail ?? ""}>
                <${Shape} tone=${view.ok ? "ok" : "bad"} />
                ${t("service.view", { view: site_name(sites.find((site) => site.name === view.view)) || view.view })}
                <span class="number">${!view.ok ? t("service.no_answer") : view.latency_ms > 0 ? t("time.ms", { n: Math.round(view.latency_ms) }) : t("service.answered")}</span>
                <span class="faint number">${duration(age_now(view.age_ms, at))}</span>
            </span>`)}
        </div>`)}
    </section>`;
}

/** @param {{alarms: Notice[]}} props */
function Notices({ alarms }) {
    if (alarms.length === 0) return null;
    return html`<section class="alarms" aria-labelledby="alarms-title">
        <h2 id="alarms-title">${t("alarms.title", { n: alarms.length })}</h2>
        <ul>${alarms.map((alarm) => html`<li key=${`${alarm.code}${alarm.text}`}>
            <${Tag} tone=${alarm.severity ? tone_of(alarm.severity) : "warn"}>${t_or(`severity.${alarm.severity}`, alarm.severity)}</${Tag}>
            <span><bdi>${told(`alarm.${alarm.code}`, alarm.text, alarm.params)}</bdi></span>
            <span class="faint number">${wall_time(alarm.since_wall, { date: true })}</span>
        </li>`)}</ul>
    </section>`;
}
