// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What windows with a figure of heads by depth share: the figure, and where it is to be saved.

#include <QPixmap>

#include <functional>

#include "core/workbench/evaluation/HeadMetrics.h"

class QWidget;

namespace headlight {

/// headFigure() at `ratio` device pixels a pixel.
Result<QPixmap> headPixmap(const HeadValues& values, double ratio);
/// Asks for the name of one of the files that writeHeadFigure() writes.
void askWhereToSaveHeads(QWidget* parent, const HeadValues& values,
                         const std::function<void(const QString& path)>& save);

}  // namespace headlight
