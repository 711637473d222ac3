/**
 * The soft-iWARP provider: thin verbs objects over the layers below. Programs find it through {@link org.panamaverbs.spi.VerbsProvider} and
 * use {@link org.panamaverbs.Verbs} and the interfaces beside it.
 *
 * <p>This package chooses the kind of transport by {@link org.panamaverbs.softiwarp.transport.kind.Transports} and names none itself.
 *
 * <p>An idle connection that has carried nothing takes some 7 KiB, heap and native. The memory that only a busy connection needs is
 * allocated at its first use.
 */
package org.panamaverbs.softiwarp;
