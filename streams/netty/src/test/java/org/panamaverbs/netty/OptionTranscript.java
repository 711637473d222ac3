package org.panamaverbs.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Each option of each kind of channel, with all sorts of values, in four states. */
// Tested by TranscriptTest.
final class OptionTranscript {
    private static final Set<String> SIZES = Set.of("SO_RCVBUF", "SO_SNDBUF", "SO_BACKLOG");
    private static final Object[] VALUES = { null, -2, -1, 0, 1, 3, 16, 255, 256, 65_536, Integer.MAX_VALUE, true, false, "text",
            UnpooledByteBufAllocator.DEFAULT, new FixedRecvByteBufAllocator(100), DefaultMessageSizeEstimator.DEFAULT,
            new WriteBufferWaterMark(10, 20) };

    private final TranscriptPlace place;
    private final Map<String, String> lines;

    OptionTranscript(TranscriptPlace place, Map<String, String> lines) {
        this.place = place;
        this.lines = lines;
    }

    private static List<Field> options() {
        return Arrays.stream(ChannelOption.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == ChannelOption.class)
                .sorted((a, b) -> a.getName().compareTo(b.getName())).toList();
    }

    private interface Maker {
        Channel make() throws Exception;
    }

    void write() throws Exception {
        write("options of a channel, fresh", place::newChannel);
        write("options of a channel, connected", () -> {
            Channel channel = place.newChannel();
            place.group.register(channel).sync();
            channel.connect(place.server.localAddress()).sync();
            return channel;
        });
        write("options of a channel, closed", () -> {
            Channel channel = place.newChannel();
            channel.unsafe().closeForcibly();
            return channel;
        });
        write("options of a server, fresh", place::newServerChannel);
        write("options of a server, bound", () -> {
            Channel channel = place.newServerChannel();
            place.group.register(channel).sync();
            channel.bind(TranscriptPlace.loopback(0)).sync();
            return channel;
        });
        write("options of a server, closed", () -> {
            Channel channel = place.newServerChannel();
            channel.unsafe().closeForcibly();
            return channel;
        });
        place.forgetPeers();
    }

    @SuppressWarnings("unchecked")
    private void write(String title, Maker maker) throws Exception {
        Channel listed = maker.make();
        lines.put(title + ": list", Outcome.of(() -> {
            Set<String> names = new TreeSet<>();
            listed.config().getOptions().keySet().forEach(option -> names.add(option.name()));
            return names;
        }));
        end(listed);
        for (Field field : options()) {
            ChannelOption<Object> option = (ChannelOption<Object>) field.get(null);
            Channel channel = maker.make();
            String key = title + ": " + field.getName();
            lines.put(key, Outcome.of(() -> shape(field.getName(), channel.config().getOption(option), null)));
            for (Object value : VALUES) {
                lines.put(key + " = " + text(value), Outcome.of(() -> channel.config().setOption(option, value)) + ", then "
                        + Outcome.of(() -> shape(field.getName(), channel.config().getOption(option), value)));
            }
            end(channel);
        }
    }

    private static void end(Channel channel) throws InterruptedException {
        if (channel.isRegistered()) {
            channel.close().sync();
        } else {
            channel.unsafe().closeForcibly();
        }
    }

    private static String text(Object value) {
        return value == null || value.getClass().getName().startsWith("java.") ? String.valueOf(value) : value.getClass().getSimpleName();
    }

    /** The kernel has defaults and limits of its own. */
    private static String shape(String option, Object value, Object set) {
        return SIZES.contains(option) && value instanceof Integer size ? value.equals(set) ? "that" : size > 0 ? "a size" : "none"
                : text(value);
    }
}
