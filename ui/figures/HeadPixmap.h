// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shared by dialogs with a figure of heads by depth: the figure, and the question where to save it.

#include <QPixmap>

#include <functional>

#include "core/workbench/evaluation/HeadMetrics.h"

class QWidget;

namespace headlight {

/// headFigure() at `ratio` device pixels per pixel.
Result<QPixmap> headPixmap(const HeadValues& values, double ratio);
/// Asks for the name of a file for writeHeadFigure().
void askWhereToSaveHeads(QWidget* parent, const HeadValues& values,
                         const std::function<void(const QString& path)>& save);

}  // namespace headlight
