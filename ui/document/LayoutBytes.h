// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between our own description of an arrangement and the bytes that Qt saves and restores. Bytes
// from a file are only ever read here, never handed to Qt: what Qt restores is written from a
// description that was checked. Sessions of before carry such bytes.

#include <QByteArray>

#include "ui/document/WindowLayout.h"

namespace headlight {

/// Reads QMainWindow::saveState, version 0. Throws Failure for incomplete or invalid bytes.
WindowLayout layoutFromBytes(const QByteArray& bytes, const std::string& path);

/// For QMainWindow::restoreState. `layout` is sound; corners and tool bars are as in `present`, of
/// the same window's saveState. Docks that are missing in `layout` are closed, at the right.
QByteArray layoutToBytes(const WindowLayout& layout, const QByteArray& present);

/// Reads QWidget::saveGeometry, as above.
WindowPlace placeFromBytes(const QByteArray& bytes, const std::string& path);
/// For QWidget::restoreGeometry, which keeps the window on the screen.
QByteArray placeToBytes(const WindowPlace& place);

}  // namespace headlight
