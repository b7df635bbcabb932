// A controller as QUIC stacks have it, in C++ against windtunnel.h: the NewReno of RFC 9002, appendix B, packet by packet.
//
//     c++ -std=c++17 -O2 -shared -fPIC -I crates/guest/include -o librfc9002.so examples/cpp-controller/rfc9002.cpp
//
// It counts bytes, and knows a congestion event by the time at which the packet left that was lost. The transport is still the common one:
// it finds the losses, and its timeout stands for persistent congestion (section 7.6).

#include "windtunnel.h"

#include <algorithm>
#include <set>

namespace {

constexpr double loss_reduction_factor = 0.5;  // kLossReductionFactor

const char *const variables[] = {"congestion_window", "segments_under_way"};

struct NewReno {
    double window = 0;
    double ssthresh = -1;  // unlimited
    std::set<uint64_t> under_way;  // segments: of one that left twice either may arrive
    double recovery_start_ns = -1;
    bool has_lost = false;

    double minimum(const wt_connection *c) const { return 2.0 * c->mss_bytes; }

    // OnCongestionEvent of a packet that left at this time: one reduction a round trip.
    void on_congestion(double sent_ns, const wt_connection *c) {
        if (sent_ns <= recovery_start_ns)
            return;
        recovery_start_ns = static_cast<double>(c->now_ns);
        ssthresh = window * loss_reduction_factor;
        window = std::max(ssthresh, minimum(c));
    }

    void show(wt_window *w, const wt_connection *c) const {
        w->cwnd = window / c->mss_bytes;
        if (ssthresh >= 0)
            w->ssthresh = std::max(ssthresh / c->mss_bytes, 1.0);
    }
};

NewReno *self(void *state) { return static_cast<NewReno *>(state); }

void *create(const double *) { return new NewReno; }

void destroy(void *state) { delete self(state); }

void *clone(const void *state) { return new NewReno(*static_cast<const NewReno *>(state)); }

void needs(const void *, wt_needs *n) { n->control = WT_FULL; }

void on_established(void *state, wt_window *w, const wt_connection *c) { self(state)->window = w->cwnd * c->mss_bytes; }

void on_packet_sent(void *state, wt_window *, const wt_connection *, const wt_packet *p) {
    self(state)->under_way.insert(p->seq);
}

void on_packet_acked(void *state, wt_window *w, const wt_connection *c, const wt_packet *p) {
    NewReno &me = *self(state);
    me.under_way.erase(p->seq);
    // Neither what the application limited nor what had left before the reduction makes the window larger.
    if (p->is_app_limited || static_cast<double>(p->sent_ns) <= me.recovery_start_ns)
        return me.show(w, c);
    if (me.ssthresh < 0 || me.window < me.ssthresh)
        me.window += p->bytes;
    else
        me.window += static_cast<double>(c->mss_bytes) * p->bytes / me.window;
    me.show(w, c);
}

void on_packet_lost(void *state, wt_window *w, const wt_connection *c, const wt_packet *p) {
    self(state)->under_way.erase(p->seq);
    self(state)->has_lost = true;
    self(state)->on_congestion(static_cast<double>(p->sent_ns), c);
    self(state)->show(w, c);
}

// Without a loss the transport heard of congestion by a mark, or by a probe that repaired one.
double ssthresh(void *state, wt_window *w, const wt_connection *c) {
    NewReno &me = *self(state);
    if (!me.has_lost)
        me.on_congestion(static_cast<double>(c->last_sent_ns), c);
    me.has_lost = false;
    me.show(w, c);
    return std::max(w->ssthresh, 1.0);
}

double undo(void *, wt_window *w, const wt_connection *) { return w->cwnd; }

void on_event(void *state, wt_window *w, const wt_connection *c, uint32_t event) {
    if (event != WT_TIMED_OUT)
        return;
    self(state)->window = self(state)->minimum(c);
    self(state)->show(w, c);
}

// The window is set packet by packet.
void on_acked(void *, wt_window *, const wt_connection *, uint32_t) {}

void variables_now(const void *state, double *values) {
    values[0] = static_cast<const NewReno *>(state)->window;
    values[1] = static_cast<double>(static_cast<const NewReno *>(state)->under_way.size());
}

wt_controller table() {
    wt_controller c{};
    c.abi = WT_ABI;
    c.size = sizeof c;
    c.flags = WT_STATELESS;
    c.name = "rfc9002";
    c.summary = "NewReno as in RFC 9002, appendix B, packet by packet.";
    c.variables = variables;
    c.variable_count = 2;
    c.create = create;
    c.destroy = destroy;
    c.clone = clone;
    c.needs = needs;
    c.on_established = on_established;
    c.on_packet_sent = on_packet_sent;
    c.on_packet_acked = on_packet_acked;
    c.on_packet_lost = on_packet_lost;
    c.on_acked = on_acked;
    c.ssthresh = ssthresh;
    c.undo = undo;
    c.on_event = on_event;
    c.variables_now = variables_now;
    return c;
}

}  // namespace

extern "C" const wt_controller *windtunnel_controller(uint32_t abi) {
    static const wt_controller controller = table();
    return abi == WT_ABI ? &controller : nullptr;
}
