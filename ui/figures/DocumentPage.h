// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's content as a figure page.

#include <QStringList>

#include <string>

#include "core/workbench/figures/FigurePage.h"
#include "ui/document/Document.h"

namespace headlight {

/// The document's model with its current masks. Empty for precomputed maps.
PageModel makePageModel(const Document& document);
/// Current display options: style, colors, rollout, query token.
PageOptions makePageOptions(const Document& document);
/// In the format of tokenFromText(); empty: the default token.
std::string tokenWords(int token, const Grid& grid);
/// The chosen layer and head, or the mean of heads.
PageColumn chosenColumn(const Document& document);
/// A page of these images, or the open one: image, chosen head, rollout, relevance.
FigurePage usefulPage(const Document& document, const QStringList& images);

}  // namespace headlight
