package org.panamaverbs.compare;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** A subject that says what it is told to, and dies once it has nothing left to say. */
final class Fake implements Subject {
    private final String name;
    private final Peer peer;
    private final Metric metric;
    private final Queue<Double> values;
    int runs;

    Fake(String name, Metric metric, Double... values) {
        this(name, Peer.present(name, "1"), metric, values);
    }

    Fake(String name, Peer peer, Metric metric, Double... values) {
        this.name = name;
        this.peer = peer;
        this.metric = metric;
        this.values = new ArrayDeque<>(List.of(values));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Peer peer() {
        return peer;
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException {
        runs++;
        if (values.isEmpty()) {
            throw new ProgramException(name + " was ended by signal 9");
        }
        return Reading.of(metric, values.remove());
    }
}
