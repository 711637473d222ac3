package org.panamaverbs.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs all subjects in turn, and that several times, so that compared subjects meet the same machine. Every other round goes backwards, so
 * that nobody always comes after the same one.
 */
final class Rounds {
    private final List<Map<Subject, Reading>> done = new ArrayList<>();
    private final List<Subject> subjects;
    private final Consumer<String> say;

    /** Of those subjects of comparisons whose peers are here. */
    Rounds(Collection<Comparison> comparisons, Consumer<String> say) {
        this.say = say;
        Set<Subject> all = new LinkedHashSet<>();
        for (Comparison comparison : comparisons) {
            all.add(comparison.ours());
            if (comparison.theirs() != null) {
                all.add(comparison.theirs());
            }
        }
        all.removeIf(subject -> !subject.peer().isPresent());
        subjects = List.copyOf(all);
    }

    /**
     * Runs them.
     *
     * @throws ProgramException if one failed; {@link #done} has what was measured before
     */
    void run(int rounds, Pace pace) throws ProgramException, InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            Map<Subject, Reading> readings = new LinkedHashMap<>();
            done.add(readings);
            int number = 0;
            for (Subject subject : round % 2 == 1 ? subjects : subjects.reversed()) {
                say.accept("round " + round + " of " + rounds + ", " + ++number + " of " + subjects.size() + ": " + subject.name());
                readings.put(subject, subject.measure(pace));
            }
        }
    }

    /** A map of readings by subject for each round begun. */
    List<Map<Subject, Reading>> done() {
        return done;
    }
}
