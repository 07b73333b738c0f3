// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Widgets one below the other, without a gap.

#include <QList>
#include <QWidget>

namespace headlight {

/// `stretched` takes the height that is left.
QWidget* stacked(const QList<QWidget*>& widgets, const QWidget* stretched, QWidget* parent);

}  // namespace headlight
