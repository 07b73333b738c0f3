// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window shows, as a figure page.

#include <QStringList>

#include <string>

#include "core/workbench/figures/FigurePage.h"
#include "ui/document/Document.h"

namespace headlight {

/// The document's model, with its masks as they are. All empty where it is maps alone.
PageModel pageModelOf(const Document& document);
/// How maps are drawn now: style, colours, rollout, the token that looks.
PageOptions pageOptionsOf(const Document& document);
/// As tokenFromText() reads it; empty: the one that looks unless another is chosen.
std::string tokenWords(int token, const Grid& grid);
/// The layer and head that are chosen, or the mean of heads.
PageColumn chosenColumn(const Document& document);
/// These pictures, or the one that is open: picture, chosen head, rollout, relevance.
FigurePage usefulPage(const Document& document, const QStringList& pictures);

}  // namespace headlight
