// The loop may stop before it has written everything: its data decide.
// expect loop_ends_early: proved
// expect loop_ends_early_by_data: open coverage value termination
__global__ void loop_ends_early(const int* x, float* y, int n) {
  for (int k = 0; k < n; k++) y[k] = 1.0f;
}
__global__ void loop_ends_early_by_data(const int* x, float* y, int n) {
  int k = 0;
  do {
    if (k < n) y[k] = 1.0f;
    k++;
  } while (k < 1048576 && x[k & 255] != 1234567);
}
