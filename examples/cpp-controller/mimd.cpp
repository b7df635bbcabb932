// A controller in C++ against windtunnel.h: a fixed gain per acknowledged segment, a fixed part of the window kept on loss.
//
//     c++ -std=c++17 -O2 -shared -fPIC -I crates/guest/include -o libmimd.so examples/cpp-controller/mimd.cpp
//
// It keeps nothing outside its states, and says so: one copy of the library then serves all runs.

#include "windtunnel.h"

#include <algorithm>
#include <cmath>

namespace {

enum Parameter { GAIN, KEPT };

const wt_parameter parameters[] = {
    {"gain", "segments per segment", "How much the window grows per acknowledged segment.", 0.01, 1e-4, 1.0, 0, 0},
    {"kept", "1", "The part of the window that a loss leaves.", 0.875, 0.1, 0.99, 0, 0},
};

const char *const variables[] = {"window_at_loss"};

struct Mimd {
    double gain;
    double kept;
    double window_at_loss = std::nan("");
};

Mimd *self(void *state) { return static_cast<Mimd *>(state); }

void *create(const double *values) { return new Mimd{values[GAIN], values[KEPT]}; }

void destroy(void *state) { delete self(state); }

void *clone(const void *state) { return new Mimd(*static_cast<const Mimd *>(state)); }

void on_acked(void *state, wt_window *w, const wt_connection *c, uint32_t acked) {
    if (!c->is_cwnd_limited)
        return;
    if (w->cwnd < w->ssthresh)
        w->cwnd = std::min(w->cwnd + acked, w->ssthresh);
    else
        w->cwnd += self(state)->gain * acked;
}

double ssthresh(void *state, wt_window *w, const wt_connection *) {
    self(state)->window_at_loss = w->cwnd;
    return std::max(self(state)->kept * w->cwnd, 2.0);
}

void variables_now(const void *state, double *values) { values[0] = static_cast<const Mimd *>(state)->window_at_loss; }

wt_controller table() {
    wt_controller c{};
    c.abi = WT_ABI;
    c.size = sizeof c;
    c.flags = WT_STATELESS;
    c.name = "mimd";
    c.summary = "A fixed gain per segment, a fixed part kept on loss.";
    c.parameters = parameters;
    c.parameter_count = 2;
    c.variables = variables;
    c.variable_count = 1;
    c.create = create;
    c.destroy = destroy;
    c.clone = clone;
    c.on_acked = on_acked;
    c.ssthresh = ssthresh;
    c.variables_now = variables_now;
    return c;
}

}  // namespace

extern "C" const wt_controller *windtunnel_controller(uint32_t abi) {
    static const wt_controller controller = table();
    return abi == WT_ABI ? &controller : nullptr;
}
