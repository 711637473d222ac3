package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ProgressTest {
    @Test
    void shouldAddWhatAllThreadsHaveDone() {
        Progress progress = new Progress(3);
        progress.set(0, 5);
        progress.set(2, 30);
        progress.set(0, 7);
        assertEquals(37, progress.total());
    }
}
