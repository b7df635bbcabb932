//! Samples of flows: a row for each sampling time, a column for each variable that a law has.

use sim::{run, Spec};

/// Short transfers with losses of Reno and of CUBIC, sampled every microsecond: they stand still for far more rows than one
/// header tells of.
#[test]
fn every_sampling_time_has_its_row_and_every_variable_its_column() {
    let spec = Spec::from_json(
        &serde_json::json!({
            "seed": 1, "duration_ns": 400_000_000, "sample_ns": 1000,
            "forward": {"rate_bps": 100_000_000, "queue": {"unit": "packets", "limit": 4}},
            "flows": [
                {"algorithm": "reno", "rtt_ns": 20_000_000, "bytes": 28_960},
                {"algorithm": "cubic", "rtt_ns": 30_000_000, "bytes": 28_960},
            ],
        })
        .to_string(),
    )
    .expect("a scenario");
    let columns = run(&spec, || false).expect("a run").flow_samples.columns();
    for flow in [0, 1] {
        let rows: Vec<usize> = (0..columns.flow.len()).filter(|&row| columns.flow[row] == flow).collect();
        assert!(rows.len() > 400_000 - 2 && rows.iter().zip(&rows[1..]).all(|(&a, &b)| columns.t_ns[b] == columns.t_ns[a] + 1000));
        let last = *rows.last().expect("rows");
        assert_eq!((columns.t_ns[last], columns.delivered_bytes[last], columns.in_flight[last]), (400_000_000, 28_960, 0.0));
    }
    for (name, cells) in &columns.variables {
        assert_eq!(cells.len(), columns.flow.len());
        assert!(cells.iter().zip(&columns.flow).all(|(cell, &flow)| flow == 1 || cell.is_nan()), "{name} of Reno");
    }
    assert!(columns.variables.iter().any(|(_, cells)| cells.iter().any(|cell| !cell.is_nan())), "no variable of CUBIC");
}
