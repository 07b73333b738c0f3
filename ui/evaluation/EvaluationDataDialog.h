// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// On which pictures masks and heads are measured: a data set and how many of its validation split.

#include <QDialog>

#include <optional>

#include "core/workbench/evaluation/PictureSample.h"

class QCheckBox;

namespace headlight {

class SampleFields;

class EvaluationDataDialog : public QDialog {
  Q_OBJECT
 public:
  /// `now`: what is measured on; nothing: nothing is. `proposed`: what its fields show then.
  EvaluationDataDialog(const std::optional<PictureSample>& now, const PictureSample& proposed,
                       QWidget* parent = nullptr);

  /// Nothing: measure nothing.
  std::optional<PictureSample> sample() const;

 private:
  QCheckBox* m_measure;
  SampleFields* m_fields;
};

}  // namespace headlight
