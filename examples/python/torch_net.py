"""A net trained in torch, dropped, and put back together."""

import torch
from torch import nn

import humpty


class Block(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.inp = nn.Linear(width, hidden)
        self.out = nn.Linear(hidden, width)

    def forward(self, x):
        return x + self.out(torch.relu(self.inp(x)))


torch.manual_seed(1)
net = nn.Sequential(*(Block(16, 32) for _ in range(8)), nn.Linear(16, 1))
x = torch.randn(2000, 16)
y = torch.tanh(x @ torch.randn(16, 4)).sum(1, keepdim=True)

optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(300):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"trained: loss {loss.item():.3f}")

# Its layers under shuffled numbers, with what it answers to x; the answer stays with us.
dropped = humpty.drop(net, x)
print("dropped:", dropped.puzzle)

s = humpty.solve(dropped)
print("solved: ", s.verdict, f"{s.mse:.3g},", "right" if s.permutation == dropped.permutation else "wrong")

# Into a module of the same shape: the same answers, to the last bit.
again = nn.Sequential(*(Block(16, 32) for _ in range(8)), nn.Linear(16, 1))
again.load_state_dict(s.state_dict(names="{i}.inp,{i}.out,{i}"))
assert torch.equal(again(x), net(x))
