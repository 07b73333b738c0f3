// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head metric by depth, averaged over images: distance, entropy, locality, with deviations over
// images and the chance level. Shown as it is saved.

#include "core/workbench/evaluation/HeadMetrics.h"
#include "ui/figures/AveragesDialog.h"

class QComboBox;
class QLabel;

namespace headlight {

class HeadsDialog : public AveragesDialog {
  Q_OBJECT
 public:
  HeadsDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  /// The values of the chosen metric; null: not measured yet.
  const HeadValues* shown() const;
  void saveAs(const QString& path);

 private:
  void measure() override;
  void save() override;
  bool hasResult() const override { return shown() != nullptr; }
  void forget() override;
  void draw();
  QString captionText() const;

  QComboBox* m_measures;
  QLabel *m_image, *m_caption;
  FedHeads m_heads;
  QString m_masks;  ///< masks during the measurement
};

}  // namespace headlight
