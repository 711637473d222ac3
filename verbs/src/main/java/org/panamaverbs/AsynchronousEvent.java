package org.panamaverbs;

import java.util.Objects;

/**
 * An event that a device reports without being asked ({@code ibv_async_event}).
 *
 * @param type   the kind of the event
 * @param source the object that it happened to
 * @param port   the number of the port, if it happened to a port; else 0
 */
public record AsynchronousEvent(Type type, Source source, int port) {
    /** An object that an event can happen to. */
    public sealed interface Source permits QueuePair, CompletionQueue, SharedReceiveQueue, Device {
    }

    /** Checks for {@code null}. */
    public AsynchronousEvent {
        Objects.requireNonNull(type);
        Objects.requireNonNull(source);
    }

    /** The kind of an event ({@code ibv_event_type}, in its order). */
    public enum Type {
        /** A completion queue overran or failed. */
        COMPLETION_QUEUE_ERROR,
        /** A queue pair failed. */
        QUEUE_PAIR_FATAL,
        /** The peer sent an invalid request. */
        QUEUE_PAIR_REQUEST_ERROR,
        /** The peer named a key, address or right that it does not have. */
        QUEUE_PAIR_ACCESS_ERROR,
        /** A message arrived before the connection was established. */
        COMMUNICATION_ESTABLISHED,
        /** A send queue has drained. */
        SEND_QUEUE_DRAINED,
        /** A connection has moved to its other path. */
        PATH_MIGRATED,
        /** A connection could not move to its other path. */
        PATH_MIGRATION_ERROR,
        /** The device failed: close everything on it. */
        DEVICE_FATAL,
        /** A port came up. */
        PORT_ACTIVE,
        /** A port's link went down. */
        PORT_ERROR,
        /** A port has another LID. */
        LOCAL_IDENTIFIER_CHANGE,
        /** A port's partition keys changed. */
        PARTITION_KEY_CHANGE,
        /** A port has another subnet manager. */
        SUBNET_MANAGER_CHANGE,
        /** A shared receive queue failed. */
        SHARED_RECEIVE_QUEUE_ERROR,
        /** Fewer receives are left than {@link SharedReceiveQueue#armLimit} said. */
        SHARED_RECEIVE_QUEUE_LIMIT_REACHED,
        /** A queue pair in error takes no more from its shared receive queue. */
        LAST_RECEIVE_REACHED,
        /** The subnet manager wants the port's clients to register again. */
        CLIENT_REREGISTER,
        /** A port's addresses changed. */
        IDENTIFIER_CHANGE,
        /** A work queue failed. */
        WORK_QUEUE_FATAL;

        private static final Type[] BY_VALUE = values();

        /**
         * The type of a value.
         *
         * @param value as in {@code ibv_event_type}
         * @return its name
         * @throws IllegalArgumentException for a value that has no name here
         */
        public static Type of(int value) {
            if (value < 0 || value >= BY_VALUE.length) {
                throw new IllegalArgumentException("asynchronous events have values from 0 to " + (BY_VALUE.length - 1) + ", not " + value);
            }
            return BY_VALUE[value];
        }
    }

    /** As "PORT_ERROR of port 1 of rxe0". */
    @Override
    public String toString() {
        String name = source instanceof Device device ? device.name() : source.toString();
        return type + " of " + (port == 0 ? "" : "port " + port + " of ") + name;
    }
}
