// SPDX-License-Identifier: Apache-2.0
// A freeDiameter extension that charges sessions: initial, updates, termination, one request of a
// session at a time, many sessions at once. Every answer is checked; a JSON report is written when
// all sessions are over, and the daemon then shuts down.
//
// Its file, one "KEY VALUE" a line: sessions, concurrent, updates, realm (Destination-Realm),
// report.
#include <errno.h>
#include <freeDiameter/extension.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_SECONDS = 15, PEER_SECONDS = 20, NAME_BYTES = 256 };
enum { CC_INITIAL = 1, CC_UPDATE = 2, CC_TERMINATION = 3, CREDIT_CONTROL = 4 };

struct settings {
    unsigned sessions;
    unsigned concurrent;
    unsigned updates;
    char realm[NAME_BYTES];
    char report[1024];
};

struct session_run {
    unsigned number;
    unsigned step;  // 0: initial, 1..updates, then termination
    char id[NAME_BYTES];
    char blade[NAME_BYTES];  // Origin-Host of the first answer
    int moved;
};

struct totals {
    unsigned started;
    unsigned finished;
    unsigned answers;
    unsigned good;   // Result-Code 2001 and everything as it should be
    unsigned wrong;  // another Session-Id, request type or number than was asked
    unsigned lost;   // no answer in time
    unsigned moved;  // sessions answered by more than one blade
};

static struct settings settings = {1000, 50, 2, "", ""};
static struct totals totals;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static pthread_t thread;

static struct dict_object *command, *session_id_avp, *realm_avp, *application_avp, *context_avp,
    *type_avp, *number_avp, *result_avp, *host_avp;

static void send_next(struct session_run* run);

static int find_avp(const char* name, struct dict_object** out) {
    return fd_dict_search(fd_g_config->cnf_dict, DICT_AVP, AVP_BY_NAME, name, out, ENOENT);
}

static int find_dictionary(void) {
    struct dict_object* application;
    application_id_t id = CREDIT_CONTROL;
    if (fd_dict_search(
            fd_g_config->cnf_dict, DICT_APPLICATION, APPLICATION_BY_ID, &id, &application, ENOENT
        ) ||
        fd_disp_app_support(application, NULL, 1, 0) ||
        fd_dict_search(
            fd_g_config->cnf_dict,
            DICT_COMMAND,
            CMD_BY_NAME,
            "Credit-Control-Request",
            &command,
            ENOENT
        ))
        return ENOENT;
    return find_avp("Session-Id", &session_id_avp) || find_avp("Destination-Realm", &realm_avp) ||
           find_avp("Auth-Application-Id", &application_avp) ||
           find_avp("Service-Context-Id", &context_avp) || find_avp("CC-Request-Type", &type_avp) ||
           find_avp("CC-Request-Number", &number_avp) || find_avp("Result-Code", &result_avp) ||
           find_avp("Origin-Host", &host_avp);
}

static int add_text(struct msg* request, struct dict_object* kind, const char* text) {
    struct avp* avp;
    union avp_value value;
    memset(&value, 0, sizeof value);
    value.os.data = (uint8_t*)text;
    value.os.len = strlen(text);
    return fd_msg_avp_new(kind, 0, &avp) || fd_msg_avp_setvalue(avp, &value) ||
           fd_msg_avp_add(request, MSG_BRW_LAST_CHILD, avp);
}

static int add_number(struct msg* request, struct dict_object* kind, uint32_t number) {
    struct avp* avp;
    union avp_value value;
    memset(&value, 0, sizeof value);
    value.u32 = number;
    return fd_msg_avp_new(kind, 0, &avp) || fd_msg_avp_setvalue(avp, &value) ||
           fd_msg_avp_add(request, MSG_BRW_LAST_CHILD, avp);
}

static uint32_t request_type(const struct session_run* run) {
    if (run->step == 0) return CC_INITIAL;
    return run->step <= settings.updates ? CC_UPDATE : CC_TERMINATION;
}

static struct avp_hdr* find_in(struct msg* message, struct dict_object* kind) {
    struct avp* avp = NULL;
    struct avp_hdr* header = NULL;
    if (fd_msg_search_avp(message, kind, &avp) || avp == NULL || fd_msg_avp_hdr(avp, &header) ||
        header->avp_value == NULL)
        return NULL;
    return header;
}

static int has_number(struct msg* message, struct dict_object* kind, uint32_t number) {
    const struct avp_hdr* header = find_in(message, kind);
    return header != NULL && header->avp_value->u32 == number;
}

static int has_text(struct msg* message, struct dict_object* kind, const char* text) {
    const struct avp_hdr* header = find_in(message, kind);
    return header != NULL && header->avp_value->os.len == strlen(text) &&
           memcmp(header->avp_value->os.data, text, strlen(text)) == 0;
}

static void note_blade(struct session_run* run, struct msg* answer) {
    const struct avp_hdr* header = find_in(answer, host_avp);
    if (header == NULL || header->avp_value->os.len >= NAME_BYTES) return;
    if (run->blade[0] == '\0')
        memcpy(run->blade, header->avp_value->os.data, header->avp_value->os.len);
    else if (!has_text(answer, host_avp, run->blade))
        run->moved = 1;
}

static void check_answer(struct session_run* run, struct msg* answer) {
    const int right = has_text(answer, session_id_avp, run->id) &&
                      has_number(answer, type_avp, request_type(run)) &&
                      has_number(answer, number_avp, run->step);
    pthread_mutex_lock(&guard);
    ++totals.answers;
    if (right && has_number(answer, result_avp, 2001)) ++totals.good;
    if (!right) ++totals.wrong;
    pthread_mutex_unlock(&guard);
    note_blade(run, answer);
}

static void finish_session(struct session_run* run) {
    pthread_mutex_lock(&guard);
    ++totals.finished;
    totals.moved += run->moved ? 1 : 0;
    pthread_cond_signal(&progress);
    pthread_mutex_unlock(&guard);
    free(run);
}

static void on_answer(void* data, struct msg** answer) {
    struct session_run* run = data;
    check_answer(run, *answer);
    fd_msg_free(*answer);
    *answer = NULL;
    if (request_type(run) == CC_TERMINATION) {
        finish_session(run);
        return;
    }
    ++run->step;
    send_next(run);
}

static void on_silence(void* data, DiamId_t peer, size_t length, struct msg** request) {
    (void)peer;
    (void)length;
    (void)request;
    pthread_mutex_lock(&guard);
    ++totals.lost;
    pthread_mutex_unlock(&guard);
    finish_session(data);
}

static int build(const struct session_run* run, struct msg** out) {
    if (fd_msg_new(command, MSGFL_ALLOC_ETEID, out)) return -1;
    return add_text(*out, session_id_avp, run->id) || fd_msg_add_origin(*out, 0) ||
           add_text(*out, realm_avp, settings.realm) ||
           add_number(*out, application_avp, CREDIT_CONTROL) ||
           add_text(*out, context_avp, "32251@3gpp.org") ||
           add_number(*out, type_avp, request_type(run)) || add_number(*out, number_avp, run->step);
}

static void send_next(struct session_run* run) {
    struct msg* request = NULL;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ANSWER_SECONDS;
    if (build(run, &request) || fd_msg_send_timeout(&request, on_answer, run, on_silence, &until)) {
        fprintf(stderr, "ccr_client: cannot send a request\n");
        on_silence(run, NULL, 0, NULL);
    }
}

static void start_session(unsigned number) {
    struct session_run* run = calloc(1, sizeof *run);
    run->number = number;
    snprintf(
        run->id,
        sizeof run->id,
        "%s;%u;%u;fd",
        fd_g_config->cnf_diamid,
        (unsigned)time(NULL),
        number
    );
    send_next(run);
}

static int any_peer_is_open(void) {
    int open = 0;
    pthread_rwlock_rdlock(&fd_g_peers_rw);
    for (struct fd_list* at = fd_g_peers.next; at != &fd_g_peers; at = at->next)
        open |= fd_peer_get_state(at->o) == STATE_OPEN;
    pthread_rwlock_unlock(&fd_g_peers_rw);
    return open;
}

static int wait_for_peer(void) {
    const struct timespec pause = {0, 20 * 1000 * 1000};
    fd_core_waitstartcomplete();
    for (int i = 0; i < PEER_SECONDS * 50; ++i) {
        if (any_peer_is_open()) return 0;
        nanosleep(&pause, NULL);
    }
    return -1;
}

static void charge_all(void) {
    pthread_mutex_lock(&guard);
    while (totals.finished < settings.sessions) {
        while (totals.started < settings.sessions &&
               totals.started - totals.finished < settings.concurrent) {
            const unsigned number = totals.started++;
            pthread_mutex_unlock(&guard);
            start_session(number);
            pthread_mutex_lock(&guard);
        }
        if (totals.finished < settings.sessions) pthread_cond_wait(&progress, &guard);
    }
    pthread_mutex_unlock(&guard);
}

static void write_report(int connected) {
    FILE* out = fopen(settings.report, "w");
    if (out == NULL) return;
    fprintf(
        out,
        "{\"connected\":%s,\"sessions\":%u,\"answers\":%u,\"good\":%u,\"wrong\":%u,"
        "\"lost\":%u,\"moved\":%u}\n",
        connected ? "true" : "false",
        totals.finished,
        totals.answers,
        totals.good,
        totals.wrong,
        totals.lost,
        totals.moved
    );
    fclose(out);
}

static void* work(void* unused) {
    (void)unused;
    const int connected = wait_for_peer() == 0;
    if (connected) charge_all();
    write_report(connected);
    fd_core_shutdown();
    return NULL;
}

static void read_setting(const char* key, const char* value) {
    if (strcmp(key, "sessions") == 0) settings.sessions = (unsigned)atoi(value);
    if (strcmp(key, "concurrent") == 0) settings.concurrent = (unsigned)atoi(value);
    if (strcmp(key, "updates") == 0) settings.updates = (unsigned)atoi(value);
    if (strcmp(key, "realm") == 0) snprintf(settings.realm, sizeof settings.realm, "%s", value);
    if (strcmp(key, "report") == 0) snprintf(settings.report, sizeof settings.report, "%s", value);
}

static int start(char* file) {
    char key[64];
    char value[1024];
    FILE* in = file ? fopen(file, "r") : NULL;
    if (in == NULL) return EINVAL;
    while (fscanf(in, "%63s %1023s", key, value) == 2) read_setting(key, value);
    fclose(in);
    if (find_dictionary()) return EINVAL;
    return pthread_create(&thread, NULL, work, NULL);
}

void fd_ext_fini(void) {
    pthread_join(thread, NULL);
}

EXTENSION_ENTRY("ccr_client", start, "dict_dcca");
