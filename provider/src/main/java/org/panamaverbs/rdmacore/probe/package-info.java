/**
 * The devices that there are, and their capabilities: asked once, before a program uses them. Libraries do not tell some capabilities, so
 * this package makes an object of the kind and destroys it.
 */
package org.panamaverbs.rdmacore.probe;
