package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class RepairReceiverTest {
    private static final long MS = 1_000_000;
    private static final InetSocketAddress SENDER = new InetSocketAddress(1);
    private static final InetSocketAddress STRANGER = new InetSocketAddress(2);

    private final Holes holes = new Holes(1000);
    private final RepairReceiver receiver = new RepairReceiver(holes, 10_000 * MS);
    private final MemorySegment report = Arena.ofAuto().allocate(RepairMessage.MOST);

    private void place(long now, InetSocketAddress source, long offset, long length) {
        holes.fill(offset, length);
        receiver.onPlaced(now, source);
    }

    private static MemorySegment end(int checksum) {
        MemorySegment message = Arena.ofAuto().allocate(8);
        return message.asSlice(0, RepairMessage.putChecksum(message, RepairMessage.END, checksum));
    }

    @Test
    void shouldSayNothingBeforeAnythingCame() {
        assertAll(() -> assertEquals(0, receiver.pollReport(5000 * MS, report)), () -> assertNull(receiver.target()),
                () -> assertFalse(receiver.isOver(100_000 * MS)));
    }

    @Test
    void shouldNameItsHolesAtTheNotification() {
        place(0, SENDER, 100, 200);
        assertEquals(0, receiver.pollReport(0, report));
        receiver.onNotification(MS, SENDER);
        int length = receiver.pollReport(MS, report);
        MemorySegment message = report.asSlice(0, length);
        assertAll(() -> assertEquals(RepairMessage.HOLES, RepairMessage.kind(message)), () -> assertEquals(2, RepairMessage.holes(message)),
                () -> assertEquals(0, RepairMessage.offset(message, 0)), () -> assertEquals(100, RepairMessage.length(message, 0)),
                () -> assertEquals(300, RepairMessage.offset(message, 1)), () -> assertEquals(700, RepairMessage.length(message, 1)),
                () -> assertEquals(0, receiver.pollReport(MS, report)));
    }

    @Test
    void shouldNameItsHolesAfter300MsOfSilenceAndAgain() {
        place(0, SENDER, 0, 200);
        place(200 * MS, SENDER, 200, 200);
        assertAll(() -> assertEquals(0, receiver.pollReport(499 * MS, report)), () -> assertTrue(receiver.pollReport(500 * MS, report) > 0),
                () -> assertEquals(0, receiver.pollReport(799 * MS, report)), () -> assertTrue(receiver.pollReport(800 * MS, report) > 0));
    }

    @Test
    void shouldNotReportMoreOftenThanEvery2Ms() {
        place(0, SENDER, 0, 200);
        int reports = 0;
        for (long now = 0; now < 100 * MS; now += MS / 10) {
            receiver.onNotification(now, SENDER);
            reports += receiver.pollReport(now, report) > 0 ? 1 : 0;
        }
        assertEquals(50, reports);
    }

    /** A part that follows must not put off the answer to a notification. */
    @Test
    void shouldAnswerANotificationThoughMoreComes() {
        place(0, SENDER, 0, 200);
        receiver.onNotification(0, SENDER);
        receiver.pollReport(0, report);
        receiver.onNotification(MS, SENDER);
        place(MS, SENDER, 200, 10);
        assertTrue(receiver.pollReport(2 * MS, report) > 0);
    }

    @Test
    void shouldReportToOneSenderUntilItIsSilent() {
        place(0, SENDER, 0, 200);
        place(900 * MS, STRANGER, 200, 1);
        InetSocketAddress before = receiver.target();
        place(1100 * MS, STRANGER, 201, 1);
        assertAll(() -> assertEquals(SENDER, before), () -> assertEquals(STRANGER, receiver.target()));
    }

    @Test
    void shouldSayThatItIsStillChecking() {
        place(0, SENDER, 0, 1000);
        receiver.onNotification(MS, SENDER);
        int length = receiver.pollReport(MS, report);
        assertAll(() -> assertEquals(1, length), () -> assertEquals('H', report.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0)),
                () -> assertFalse(receiver.isOver(100_000 * MS)));
    }

    @Test
    void shouldBeOverASecondAfterItIsWhole() {
        place(0, SENDER, 0, 1000);
        receiver.onChecked(MS, 77);
        MemorySegment message = report.asSlice(0, receiver.pollReport(MS, report));
        assertAll(() -> assertEquals(RepairMessage.DONE, RepairMessage.kind(message)),
                () -> assertEquals(77, RepairMessage.checksum(message)), () -> assertFalse(receiver.isOver(999 * MS)),
                () -> assertTrue(receiver.isOver(1000 * MS)));
    }

    @Test
    void shouldBeOverAtTheEndThatItsSenderSays() {
        place(0, SENDER, 0, 500);
        receiver.onEnd(STRANGER, end(1));
        boolean early = receiver.isOver(MS);
        receiver.onEnd(SENDER, end(1));
        assertAll(() -> assertFalse(early), () -> assertTrue(receiver.isOver(MS)), () -> assertFalse(receiver.differs()));
    }

    @Test
    void shouldFindThatTheChecksumsDiffer() {
        place(0, SENDER, 0, 1000);
        receiver.onEnd(SENDER, end(1));
        boolean early = receiver.isOver(MS);
        receiver.onChecked(MS, 2);
        assertAll(() -> assertFalse(early), () -> assertTrue(receiver.isOver(MS)), () -> assertTrue(receiver.differs()));
    }

    @Test
    void shouldGiveUpASilentSender() {
        place(0, SENDER, 0, 500);
        assertAll(() -> assertFalse(receiver.isOver(9_999 * MS)), () -> assertTrue(receiver.isOver(10_000 * MS)));
    }
}
