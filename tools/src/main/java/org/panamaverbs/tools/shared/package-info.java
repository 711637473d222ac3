/**
 * The parts that the commands share: options, addresses and quantities as text, the verbs objects of one connection.
 *
 * <p>All text of peers passes through {@code Printable} before a terminal shows it, and JSON through {@code Json}.
 */
package org.panamaverbs.tools.shared;
