// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Faithfulness of explanations over many images: one row per method, with means and deviations of
// deletion and insertion.

#include "core/workbench/attribution/FaithfulnessStudy.h"
#include "ui/figures/AveragesDialog.h"

class QLabel;
class QTableWidget;

namespace headlight {

class FaithfulnessDialog : public AveragesDialog {
  Q_OBJECT
 public:
  FaithfulnessDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  QTableWidget* table() const { return m_table; }
  const std::shared_ptr<const FaithfulnessStudy>& study() const { return m_study; }
  void saveAs(const QString& path);

 private:
  void measure() override;
  void save() override;
  bool hasResult() const override { return m_study != nullptr; }
  void forget() override;
  void showStudy();

  QTableWidget* m_table;
  QLabel* m_note;
  std::shared_ptr<const FaithfulnessStudy> m_study;
};

}  // namespace headlight
