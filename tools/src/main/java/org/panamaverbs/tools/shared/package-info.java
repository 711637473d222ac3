/** The parts that the commands share: options, addresses and quantities as text, the verbs objects of one connection. */
package org.panamaverbs.tools.shared;
