// SPDX-License-Identifier: Apache-2.0
// Signing in and out, and the first password.
import { call, get, me, session_ended } from "./api.js";

export const kLeastPassword = 12;

export async function find_out_who() {
    try {
        me.set(await get("/api/v1/me"));
    } catch {
        if (me.value === undefined) me.set(null);
    }
}

/** @param {string} user @param {string} password */
export async function sign_in(user, password) {
    const answer = await call("POST", "/api/v1/login", { user, password });
    session_ended.set(false);
    me.set(answer);
}

/** @param {string} old_password @param {string} new_password */
export async function set_password(old_password, new_password) {
    await call("POST", "/api/v1/password", { old: old_password, new: new_password });
    // The server may have ended the session that was made with the old password.
    me.set(await get("/api/v1/me"));
}

export async function sign_out() {
    try {
        await call("POST", "/api/v1/logout");
    } finally {
        session_ended.set(false);
        me.set(null);
    }
}

/** May this role change anything? The server decides; the page only does not offer what it would refuse. */
export function may_act() {
    const role = me.value?.role;
    return role === "operator" || role === "admin";
}
