// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A number of every head by depth, averaged over pictures: distance, entropy, locality, with
// deviations over pictures and chance. Seen as it will be saved.

#include "core/workbench/evaluation/HeadMetrics.h"
#include "ui/figures/AveragesDialog.h"

class QComboBox;
class QLabel;

namespace headlight {

class HeadsDialog : public AveragesDialog {
  Q_OBJECT
 public:
  HeadsDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  /// Of the measure that is chosen; null: it is not measured yet.
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
  QLabel *m_picture, *m_caption;
  FedHeads m_heads;
  QString m_masks;  ///< under which it was measured
};

}  // namespace headlight
