// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The image size of the open model, and its cost, before anything is done; and what it sees of
// transparent pixels.

#include <QDialog>

#include <string>

#include "core/config/ModelConfig.h"

class QCheckBox;
class QDialogButtonBox;
class QSpinBox;

namespace headlight {

class MessageLabel;

/// Type a side, Enter: two fields, of which the second follows the first while the image is
/// square. Arrows step by a patch.
class ResolutionDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ResolutionDialog(const ModelConfig& model, QWidget* parent = nullptr);

  int imageHeight() const;  ///< in pixels, as what follows
  int imageWidth() const;
  /// "white" or "drop", as ModelConfig's.
  std::string transparency() const;
  QString costText() const;  ///< or why it cannot be

 private:
  QSpinBox* makeSide(const QString& name, int value);
  void refresh();

  ModelConfig m_model;
  QSpinBox *m_height, *m_width;
  QCheckBox *m_square, *m_dropAlpha;
  MessageLabel* m_cost;
  QDialogButtonBox* m_buttons;
};

}  // namespace headlight
