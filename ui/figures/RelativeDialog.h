// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean attention by relative position, averaged over images; for IBiT also how its mask affects the
// gradients of the logits. Shown as it is saved.

#include "core/workbench/attribution/GradientBiasing.h"
#include "ui/figures/AveragesDialog.h"
#include "ui/figures/RelativeView.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace headlight {

class RelativeDialog : public AveragesDialog {
  Q_OBJECT
 public:
  RelativeDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  RelativeView* view() const { return m_view; }
  /// The maps shown; null: not measured yet.
  RelativeView::Maps maps() const;
  void saveAs(const QString& path);

 private:
  enum class Shows { Attention, Masked, Unmasked, Ratio };
  Shows shows() const;
  void measure() override;
  void save() override;
  bool hasResult() const override { return maps() != nullptr; }
  void forget() override;
  void showMaps();
  void offer();
  RelativeStyle style() const;
  QString captionText() const;

  QComboBox* m_shows;
  QLabel* m_showsLabel;
  QCheckBox* m_oneScale;
  RelativeView* m_view;
  QLabel *m_place, *m_caption;
  RelativeView::Maps m_attention;
  std::shared_ptr<const GradientBiasing> m_biasing;
  QString m_masks;  ///< masks during the measurement
};

}  // namespace headlight
