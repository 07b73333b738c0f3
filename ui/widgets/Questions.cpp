// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/Questions.h"

#include <QMessageBox>

namespace headlight {

void withdrawQuestions(QWidget* asked) {
  for (QMessageBox* box : asked->findChildren<QMessageBox*>())
    box->reject();
}

}  // namespace headlight
