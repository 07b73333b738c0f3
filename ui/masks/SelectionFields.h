// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Window, α and γ of the selected heads, in the fields of the brush: they show and edit the selection
// where it has masks, unless clicks paint, when the brush is what is being chosen.

#include <QObject>

namespace headlight {

class BrushEditor;
class Document;
class MaskMatrix;

class SelectionFields : public QObject {
  Q_OBJECT
 public:
  /// All outlive it.
  SelectionFields(Document* document, BrushEditor* brush, MaskMatrix* matrix, QObject* parent);

 private:
  enum class Field { None, Window, Alpha, Gamma };
  void refresh();
  /// Edits of one field, one after the other, are one step to undo.
  int strokeOf(Field field);

  Document* m_document;
  BrushEditor* m_brush;
  MaskMatrix* m_matrix;
  Field m_edited = Field::None;  ///< last, of this selection
  int m_stroke = -1;
};

}  // namespace headlight
