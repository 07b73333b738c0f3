// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is inside of a mask: a square, NATTEN's neighborhood with dilation and stride, or what is
// drawn here or in a PNG; global patches; a window in pixels.

#include <QDialog>

#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace headlight {

class PatchPainter;

/// Whose masks are meant, and what a layer of theirs is like.
struct RegionPlace {
  Grid grid;                  ///< patches; prefix tokens do not count
  double pixelsPerPatch = 1;  ///< ModelConfig::pixelsPerPatch()
  QString whose;              ///< "layer 2, head 1"
};

class RegionDialog : public QDialog {
  Q_OBJECT
 public:
  /// `mask`: what it starts from, hard where its kind has no region.
  RegionDialog(const HeadMask& mask, const RegionPlace& place, QWidget* parent = nullptr);
  /// Of its kind, α and window; only while it can be accepted.
  HeadMask mask() const { return m_mask; }

  void importPng(const QString& path);
  void exportPng(const QString& path);
  /// Asks first where something was painted that is in no file yet.
  void reject() override;

 private:
  QWidget* makeFields();
  QWidget* makeDrawing();
  QLayout* makeFiles();
  void makeButtons();
  void display();                 ///< the mask in the fields
  void displayDrawing();          ///< the part of the drawing that is seen
  void read();                    ///< the fields into the mask
  void readDrawing();             ///< the painted patches into the drawing
  void refresh();                 ///< what is shown, and whether it can be accepted
  bool drawsLayersPairs() const;  ///< whether the drawing has the layer's pairs of patches
  void enableFields(RegionKind kind);
  void setForm(int form);  ///< an empty drawing of another form, or that of before
  void reportProblem(const QString& text);

  HeadMask m_mask;
  Grid m_grid;
  double m_pixelsPerPatch;
  DrawnMask m_drawn;
  bool m_displaying = false, m_painted = false;
  QComboBox* m_shape = nullptr;
  QSpinBox* m_window = nullptr;
  QCheckBox* m_pixels = nullptr;
  QSpinBox* m_dilation = nullptr;
  QSpinBox* m_stride = nullptr;
  QLineEdit* m_global = nullptr;
  QWidget* m_drawing = nullptr;
  QComboBox* m_form = nullptr;
  QSpinBox* m_query = nullptr;
  PatchPainter* m_painter = nullptr;
  QLabel* m_problem = nullptr;
  QDialogButtonBox* m_buttons = nullptr;
};

}  // namespace headlight
