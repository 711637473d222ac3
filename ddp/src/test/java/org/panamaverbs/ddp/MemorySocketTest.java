package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;

/** DDPP core inside a context, in an order drawn from a seed. */
class MemorySocketTest extends StreamSocketTestCase {
    MemorySocketTest() {
        super(DdpTransport.MEMORY, "auto");
    }

    @Override
    boolean isOrdered() {
        return false;
    }

    private List<Integer> order(long seed) {
        DdpListener own = context.listen(group, DdpTransport.MEMORY, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DdpOptions.DEFAULT.withSeed(seed));
        DdpSocket from = context.connect(DdpTransport.MEMORY, own.address(), DdpOptions.DEFAULT, LONG);
        DdpSocket to = own.accept(LONG);
        MemorySegment source = pattern(10, 1);
        for (int i = 0; i < 16; i++) {
            from.sendDdp(source, 0, 10, new BufferAddress(1, 0), i);
        }
        to.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(1));
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            order.add(take(to).messageId());
        }
        own.close();
        return order;
    }

    @Test
    void shouldDeliverEachOnceInAnOrderOfTheSeed() {
        List<Integer> first = order(1);
        assertEquals(first, order(1));
        assertNotEquals(first, order(2));
        assertEquals(16, first.stream().distinct().count());
    }

    @Test
    void shouldKnowOnlyItsOwnPorts() {
        assertThrows(SystemException.class,
                () -> context.connect(DdpTransport.MEMORY, new InetSocketAddress(InetAddress.getLoopbackAddress(), 7), options(), LONG));
        assertThrows(SystemException.class, () -> context.listen(group, DdpTransport.MEMORY, listener.address(), options()));
    }
}
