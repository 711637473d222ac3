/**
 * The types that a provider of verbs implements and uses. A program does not need them. docs/writing-a-provider.md has the rules that the
 * types do not show.
 *
 * <ul>
 * <li>{@link org.panamaverbs.spi.VerbsProvider} is found by {@link java.util.ServiceLoader}, and hands out devices. A device answers
 * {@link org.panamaverbs.Device#extension(Class)} with its {@link org.panamaverbs.cm.ConnectionManager}.
 * <li>Objects that a provider extends: {@link org.panamaverbs.spi.AbstractQueuePair}, {@link org.panamaverbs.spi.AbstractSharedReceiveQueue},
 * {@link org.panamaverbs.spi.AbstractCompletionQueue}, {@link org.panamaverbs.spi.AbstractCompletionChannel},
 * {@link org.panamaverbs.spi.AbstractMemoryRegion}, {@link org.panamaverbs.spi.AbstractConnection} and
 * {@link org.panamaverbs.spi.AsynchronousEventHub}. It implements the other interfaces of {@link org.panamaverbs} and
 * {@link org.panamaverbs.cm} itself.
 * <li>Requests and completions: {@link org.panamaverbs.spi.SendWorkRequest} (with a {@link org.panamaverbs.spi.SendOperation}) and
 * {@link org.panamaverbs.spi.ReceiveWorkRequest} are checked before a provider reads them. A poll fills a
 * {@link org.panamaverbs.spi.CompletionBuffer}.
 * <li>Checks and rules that are alike for all providers: {@link org.panamaverbs.spi.Registrable} and {@link org.panamaverbs.spi.AccessFlags} for
 * memory, {@link org.panamaverbs.spi.ObjectChecks} for attributes, {@link org.panamaverbs.spi.AllAddresses} for listeners,
 * {@link org.panamaverbs.spi.BusyPoll} for waits, {@link org.panamaverbs.spi.FileTrust} for files,
 * {@link org.panamaverbs.spi.DeviceCounters} and {@link org.panamaverbs.spi.FlightEvents} for statistics and events.
 * </ul>
 *
 * <p>A module that is no provider uses {@link org.panamaverbs.spi.support} alone, and names its settings by
 * {@link org.panamaverbs.spi.DeclaredSettings}.
 */
@NullMarked
package org.panamaverbs.spi;

import org.jspecify.annotations.NullMarked;
