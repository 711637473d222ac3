package org.panamaverbs.softiwarp.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;

/**
 * One simulated run: two nodes, a network between them, a clock, and one source of chance. All that happens follows from the seed. The world
 * takes one step after another; each is an edge of a channel, something that a loop's leader does, or something that a program does.
 */
final class World {
    private static final int MOST_STEPS = 400_000;
    /** A connection whose peer does nothing has a limit for each step of its end. */
    private static final long MOST_NANOS = 60_000_000_000L;
    private static final String REPLAY = "mvn test -Dquick -pl :panama-verbs-soft-iwarp -am -Dtest=SimulationTest "
            + "-Dsimulation.seed=%d";
    private static final long IDLE_NANOS = 50_000_000L;

    /** Incidents, beside programs that post and disconnect, that may make a connection fail. */
    enum Incident {
        CLOSE, DEREGISTER, INVALIDATE, SEND_WITHOUT_RECEIVE, WRONG_KEY, WRONG_BINDING, FLIPPED_BIT, RESET, DEATH, LONG_STALL
    }

    private final long seed;
    private final SplittableRandom random;
    private final Setup setup;
    private final Set<Incident> incidents = EnumSet.noneOf(Incident.class);
    private final Opening opening;
    private final Node[] nodes = new Node[2];
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<String> log = new ArrayList<>();
    private long now = 1_000_000_000L;
    private int steps;
    private int depth;
    private int bytesToFlip = -1;

    private record Event(long time, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return Long.compare(time, other.time);
        }
    }

    World(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.setup = Setup.of(random);
        this.opening = new Opening(setup, random);
        SimulatedChannel[] channels = { new SimulatedChannel(this, 0), new SimulatedChannel(this, 1) };
        SimulatedPipe there = pipe(channels[0], channels[1], 0);
        SimulatedPipe back = pipe(channels[1], channels[0], 1);
        channels[0].connect(back, there);
        channels[1].connect(there, back);
        for (int i = 0; i < 2; i++) {
            nodes[i] = new Node(this, i, channels[i]);
        }
        nodes[0].meet(nodes[1]);
        nodes[1].meet(nodes[0]);
        if (setup.flips() && setup.crc()) {
            bytesToFlip = random.nextInt(1, 20_000);
        }
    }

    private SimulatedPipe pipe(SimulatedChannel writer, SimulatedChannel reader, int from) {
        return new SimulatedPipe(this, writer, reader, setup.capacity(), setup.marked(from) ? new MarkedStream(setup.crc()) : null);
    }

    SplittableRandom random() {
        return random;
    }

    Opening opening() {
        return opening;
    }

    Setup setup() {
        return setup;
    }

    long now() {
        return now;
    }

    /** One chance in so many. */
    boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    void incident(Incident incident) {
        incidents.add(incident);
    }

    boolean hasIncident() {
        return !incidents.isEmpty();
    }

    Set<Incident> incidents() {
        return incidents;
    }

    /** Keeps a record of an action for the message of a failure. */
    void note(String text) {
        log.add(text);
    }

    void at(long time, Runnable action) {
        events.add(new Event(time, action));
    }

    /** How many bytes a call of the system moves at most. */
    int chop() {
        return switch (setup.chopping()) {
            case 0 -> Integer.MAX_VALUE;
            case 1 -> 1 + random.nextInt(8);
            case 2 -> 1 + random.nextInt(3000);
            default -> once(3) ? 1 + random.nextInt(40) : Integer.MAX_VALUE;
        };
    }

    /** A byte on its way. */
    byte corrupt(byte value) {
        if (bytesToFlip > 0 && --bytesToFlip == 0) {
            incident(Incident.FLIPPED_BIT);
            note("a bit flips");
            return (byte) (value ^ 1 << random.nextInt(8));
        }
        return value;
    }

    /** Another thread does something while one is in a call of the system. */
    void meanwhile(int index) {
        if (depth > 2 || !once(4)) {
            return;
        }
        depth++;
        try {
            nodes[index].meanwhile();
        } finally {
            depth--;
        }
    }

    /** Runs to the end, and checks; the outcome names the ends of both sides. */
    String run() {
        try {
            for (Node node : nodes) {
                node.start();
            }
            while (!(nodes[0].isOver() && nodes[1].isOver())) {
                if (++steps > MOST_STEPS || now > MOST_NANOS) {
                    throw new AssertionError("it does not end: " + nodes[0] + "; " + nodes[1]);
                }
                step();
            }
            for (Node node : nodes) {
                node.model().check();
            }
            return nodes[0].outcome() + " / " + nodes[1].outcome();
        } catch (RuntimeException | AssertionError e) {
            int from = Math.max(0, log.size() - Integer.getInteger("simulation.log", 60));
            throw new AssertionError("seed " + seed + ", " + setup + ", " + incidents + ", step " + steps + ": " + e.getMessage()
                    + "\nreplay it by: " + REPLAY.formatted(seed) + "\n" + String.join("\n", log.subList(from, log.size())), e);
        }
    }

    /** Adds up the requests that were done, by what they are. */
    void count(Map<String, Integer> done) {
        for (Node node : nodes) {
            node.model().count(done);
        }
    }

    private void step() {
        while (!events.isEmpty() && events.peek().time() <= now) {
            events.poll().action().run();
        }
        Node node = nodes[random.nextInt(2)];
        if (!node.step()) {
            Node other = nodes[1 - node.index()];
            if (!other.step()) {
                idle();
            }
        }
        if (once(400)) {
            node.trouble();
        }
        now += random.nextInt(20_000);
    }

    /** Nobody has anything to do: time passes up to what comes next. */
    private void idle() {
        long next = Math.min(nodes[0].nextTimer(), nodes[1].nextTimer());
        if (!events.isEmpty()) {
            next = Math.min(next, events.peek().time());
        }
        now = next == Long.MAX_VALUE ? now + IDLE_NANOS : Math.max(now, next);
    }
}
