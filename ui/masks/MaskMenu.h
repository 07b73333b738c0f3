// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The context menu of the mask matrix: what can be done with its selection.

class QMenu;

namespace headlight {

class Document;
class MaskMatrix;

void fillMaskMenu(QMenu* menu, MaskMatrix* matrix, Document* document);

}  // namespace headlight
