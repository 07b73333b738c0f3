// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chooses the evaluation data: a dataset and the number of images of its validation split.

#include <QDialog>

#include <optional>

#include "core/workbench/evaluation/ImageSample.h"

class QCheckBox;

namespace headlight {

class SampleFields;

class EvaluationDataDialog : public QDialog {
  Q_OBJECT
 public:
  /// `now`: the current data; empty: none. `proposed`: the initial fields in that case.
  EvaluationDataDialog(const std::optional<ImageSample>& now, const ImageSample& proposed,
                       QWidget* parent = nullptr);

  /// Empty: measure nothing.
  std::optional<ImageSample> sample() const;

 private:
  QCheckBox* m_measure;
  SampleFields* m_fields;
};

}  // namespace headlight
