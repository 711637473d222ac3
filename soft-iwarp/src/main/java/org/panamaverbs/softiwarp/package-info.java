/**
 * The soft-iWARP provider: thin verbs objects over the layers below. Programs find it through {@link org.panamaverbs.spi.VerbsProvider}
 * and use the interfaces of {@link org.panamaverbs}.
 *
 * <p>This package may use all others, and is the only one that knows all kinds of transport
 * ({@link org.panamaverbs.softiwarp.transport.kind.Transports}).
 */
package org.panamaverbs.softiwarp;
