package org.panamaverbs.softiwarp.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** A defect of ours ends its connection, and the connection's failure does not blame the peer. */
class DefectTest {
    /** The pipes here remove no Markers. */
    private final World world = LongStream.iterate(1, seed -> seed + 1).mapToObj(World::new).filter(each -> each.setup().markers() == 0)
            .findFirst().orElseThrow();

    @Test
    void shouldTellOfADefectWhileReceiving() {
        assertTold(new SimulatedChannel(world, 0) {
            @Override
            public long read(IoVector into) {
                throw new IllegalArgumentException("a defect");
            }
        });
    }

    @Test
    void shouldTellOfADefectWhileTransmitting() {
        assertTold(new SimulatedChannel(world, 0) {
            @Override
            public long write(IoVector from) {
                throw new IllegalArgumentException("a defect");
            }
        });
    }

    /** A system that has no memory to send, say, reports no event: the bytes that can be read are the last that happens. */
    @Test
    void shouldEndAConnectionThatCannotBeWrittenWhileBytesCome() {
        Node[] nodes = new Node[2];
        SimulatedChannel far = new SimulatedChannel(world, 0);
        SimulatedChannel channel = new SimulatedChannel(world, 1) {
            private boolean failed;

            @Override
            void edge(int events) {
                super.edge(failed ? events & ~Multiplexer.READABLE : events);
            }

            @Override
            public long write(IoVector from) {
                if (!failed) {
                    failed = true;
                    int before = incoming().record().length;
                    for (int i = 0; i < 1000 && incoming().record().length == before; i++) {
                        nodes[0].step();
                    }
                }
                return BROKEN;
            }
        };
        connect(channel, far);
        nodes[0] = new Node(world, 0, far);
        nodes[1] = new Node(world, 1, channel);
        nodes[0].meet(nodes[1]);
        nodes[1].meet(nodes[0]);
        nodes[0].start();
        nodes[1].start();
        for (int i = 0; i < 10_000 && nodes[1].failure() == null; i++) {
            nodes[1].step();
            if (i < 200) {
                nodes[0].step();
            }
        }
        assertInstanceOf(SystemException.class, nodes[1].failure());
    }

    /** The system cannot write our own memory: no message is placed then, and no receive is taken. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5, 10 })
    void shouldFlushEachReceiveOnceIfItsOwnMemoryIsBad(int reads) {
        SimulatedChannel far = new SimulatedChannel(world, 0);
        SimulatedChannel channel = new SimulatedChannel(world, 1) {
            private int left = reads;

            @Override
            public long read(IoVector into) {
                return into.size() == 1 && left-- <= 0 ? BAD_MEMORY : super.read(into);
            }
        };
        connect(channel, far);
        Node peer = new Node(world, 0, far);
        Node near = new Node(world, 1, channel);
        near.meet(peer);
        peer.meet(near);
        peer.start();
        near.start();
        for (int i = 0; i < 100_000 && near.failure() == null; i++) {
            near.step();
            peer.step();
        }
        for (int i = 0; i < 1000; i++) {
            near.step();
        }
        assertInstanceOf(PeerException.class, near.failure());
        assertEquals(near.receives().posted(), near.receives().retired());
    }

    private void connect(SimulatedChannel channel, SimulatedChannel far) {
        SimulatedPipe there = new SimulatedPipe(world, channel, far, 1000, null);
        SimulatedPipe back = new SimulatedPipe(world, far, channel, 1000, null);
        channel.connect(back, there);
        far.connect(there, back);
    }

    private void assertTold(SimulatedChannel channel) {
        SimulatedChannel far = new SimulatedChannel(world, 1);
        connect(channel, far);
        Node near = new Node(world, 0, channel);
        Node peer = new Node(world, 1, far);
        near.meet(peer);
        peer.meet(near);
        near.start();
        peer.start();
        for (int i = 0; i < 10_000 && near.failure() == null; i++) {
            near.step();
        }
        VerbsException failure = near.failure();
        assertInstanceOf(SystemException.class, failure);
        assertTrue(failure.getMessage().contains("soft-iwarp itself failed"), failure::getMessage);
        assertInstanceOf(IllegalArgumentException.class, failure.getCause());
    }
}
